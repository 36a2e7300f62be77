"""A part of the input on its way through the tool: parsed, verified, run and printed.

Source: `performActions` of `mlir-opt`, MLIR 22.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Diagnostic, Severity, Span, brief
from passel.errors import AnchorError, PassFailedError, PipelineError, Problem
from passel.ir import ANY, InvalidIR, LowersPasses, ability_of
from passel.ir.frontend import UnreadableError
from passel.passes.op_facts import invalid_diagnostic, op_diagnostic
from passel.tool.process import release_collector

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.instruments.reproducer_file import Recorded
    from passel.ir.frontend import Parsed, SourcePart
    from passel.manager import PassManager, RunResult
    from passel.tool.shared import Shared

_LONGEST_HINT = 100


class Part:
    """A part of the input, with a context of its own.

    Args:
        source: Its text.
        shared: Services and settings of all parts.
        report: Takes its diagnostics.
    """

    def __init__(
        self, source: SourcePart, shared: Shared, report: Callable[[Diagnostic], None]
    ) -> None:
        self._source = source
        self._shared = shared
        self._settings = shared.settings
        self._adapter = shared.settings.ir.adapter
        self._report = report
        self._threading: bool = shared.settings.threading
        self._recorded: Recorded | None = None

    def process(self) -> str | bytes | None:
        """Return the result as it is written; None after an error, which has been reported."""
        with self._shared.reports.part() as self._reports:
            try:
                with self._reports.scope("Parser"):
                    self._parsed: Parsed = self._parse()
            except UnreadableError as error:
                for diagnostic in error.diagnostics:
                    self._refuse(diagnostic)
                return None
            with self._reports.scope("Verify the input", timer="Parser"):
                is_valid = self._verify()
            if not is_valid or not self._run():
                return None
            with self._reports.scope("Output"):
                return self._print()

    # -- Parse and verify --------------------------------------------------------------------

    def _parse(self) -> Parsed:
        frontend = self._shared.frontend
        self._context: Any = frontend.new_context()
        parsed = frontend.parse(self._source, self._context, self._report)
        replays = self._settings.reproducers.run_reproducer or self._source.is_recorded
        return self._replayed(parsed) if replays else parsed

    def _replayed(self, parsed: Parsed) -> Parsed:
        """Take note of what the input records, and return the input without that."""
        from passel.instruments.reproducer_file import GROUP, read_reproducer

        self._recorded = read_reproducer(parsed.resources, self._source)
        if self._recorded is not None:
            self._take(self._recorded)
        return replace(parsed, resources=[each for each in parsed.resources if each.group != GROUP])

    def _take(self, recorded: Recorded) -> None:
        if recorded.pipeline is not None:
            self._shared.reports.note_record()
        if recorded.disable_threading:
            self._threading = False
            self._shared.frontend.set_threading(self._context, enable=False)

    def _verify(self) -> bool:
        if self._shared.frontend.verifies or self._settings.reading.disable_verify:
            return True
        adapter = self._adapter
        try:
            adapter.verify(self._parsed.op, recursive=True)
        except InvalidIR as error:
            self._refuse(invalid_diagnostic(adapter, error))
            return False
        return True

    def _refuse(self, diagnostic: Diagnostic) -> None:
        """Report what is wrong with the input, and which IR might take it."""
        from passel.tool.irs import note_other_ir

        note_other_ir(diagnostic, self._source, self._settings.ir)
        self._report(diagnostic)

    # -- Run ---------------------------------------------------------------------------------

    def _manager(self) -> PassManager | None:
        """Return the manager of the passes; None after an error, which has been reported."""
        recorded, op = self._recorded, self._parsed.op
        kind = self._adapter.kind_of(op)
        pipelines = self._shared.pipelines
        if pipelines.runs_on_top(recorded) and kind.registered and not kind.isolated:
            message = (
                f"'{kind.name}' op trying to schedule a pass on an operation not marked as "
                "'IsolatedFromAbove'"
            )
            self._report(op_diagnostic(self._adapter, Severity.ERROR, message, op))
            return None
        try:
            return pipelines.make(kind, self._context, self._adapter, recorded)
        except PipelineError as error:
            if recorded is None or recorded.pipeline is None:
                raise
            if self._source.is_recorded:  # whose lines are none of IR
                from passel.tool.stepping import recorded_plugins

                for flag in recorded_plugins(self._settings):
                    error.add_note(f"the run had {flag}")
                raise
            from passel.tool.irs import hint_at_passes

            *others, last = [recorded.diagnostic(problem) for problem in error.problems]
            if hint := hint_at_passes(error, self._settings.ir):
                last.attach_note(hint, last.location)
            for each in (*others, last):
                self._report(each)
            return None

    def _run(self) -> bool:
        """Run the passes; return whether they could be run, and none failed."""
        manager = self._manager()
        release_collector()
        if manager is None:
            return False
        self._settings.set_up(manager)
        if self._settings.pipeline.dump_pass_pipeline:
            text = manager.to_text(all_options=True, pretty=True)
            sys.stderr.write(f"Pass Manager with {len(manager)} passes:\n{text}\n\n")
        self._observe(manager)
        try:
            result = self._run_passes(manager)
        except AnchorError as error:
            self._report_misfit(manager, error)
            return False
        except PassFailedError:
            self._shared.crashes.failed = True
            return False
        self._shared.reports.note_unmatched(result.unmatched)
        self._shared.replay.generate(self._parsed.op, self._context, manager, self._adapter)
        return True

    def _run_passes(self, manager: PassManager) -> RunResult:
        """Run the passes, or those that the flags for stopping and going on leave."""
        how: dict[str, Any] = {
            "on_diagnostic": self._report,
            "jobs": self._settings.jobs if self._threading else 1,
        }
        if not self._settings.stepping.is_asked_for:
            return manager.run(self._parsed.op, **how)
        from passel.tool.stepping import run_stretch

        return run_stretch(manager, self._parsed.op, self._settings, how)

    def _observe(self, manager: PassManager) -> None:
        """Let the manager's run be observed as the flags ask for."""
        shared = self._shared
        shared.reports.record(manager, self._adapter, self._source, shared.replay.command())
        shared.replay.observe(manager, threading=self._threading)
        self._reports.observe(manager)
        shared.reports.observe(manager)
        # A line that shows passes would have those run one by one that an IR runs as one.
        if shared.progress is not None and ability_of(self._adapter, LowersPasses) is None:
            manager.add_instrumentation(shared.progress)
        manager.add_instrumentation(shared.crashes)

    def _report_misfit(self, manager: PassManager, error: AnchorError) -> None:
        """Report that the pipeline is not for an op like the one of this part."""
        op = self._parsed.op
        for problem in error.problems:
            if problem.span is not None:
                raise error
            message = problem.message + self._nesting_hint(manager, op)
            span = next((each.span for each in manager.placed() if each.span), None)
            if span is None or (start := span.source.text.find(manager.anchor)) < 0:
                place = self._adapter.location(op)
                self._report(Diagnostic(Severity.ERROR, message, place))
                continue
            placed = Problem(message, Span(span.source, start, start + len(manager.anchor)))
            if self._recorded is None or self._recorded.pipeline != span.source.text:
                raise AnchorError(placed) from error
            self._report(self._recorded.diagnostic(placed))

    # -- Print -------------------------------------------------------------------------------

    def _print(self) -> str | bytes | None:
        try:
            return self._shared.frontend.emit(self._parsed, self._context)
        except Exception as error:  # noqa: BLE001 - targets raise what they like for IR they do not take
            from passel.tracebacks import raised_at

            target = self._settings.output.target
            message = f"target '{target}' failed in {raised_at(error)}: {brief(error)}"
            place = self._adapter.location(self._parsed.op)
            self._report(Diagnostic(Severity.ERROR, message, place))
            return None

    def _nesting_hint(self, manager: PassManager, op: Any) -> str:
        """Return how to write a pipeline for an op of another name: spelt well, then nested."""
        anchor = self._adapter.kind_of(op).name
        if manager.anchor in (ANY, anchor):
            return ""
        if self._adapter.kind_named(self._context, manager.anchor) is None and (
            hint := self._adapter.suggest_op(self._context, manager.anchor)
        ):
            return hint
        text = str(manager)
        inner = text if len(text) <= _LONGEST_HINT else f"{manager.anchor}(...)"
        return f"; to run it on the ops inside, write {anchor}({inner})"
