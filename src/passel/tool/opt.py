"""passel-opt, and tools like it, as a program: from its arguments to its exit code."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Diagnostic, Severity, Span, brief
from passel.errors import AnchorError, PassFailedError, PipelineError, Problem
from passel.instruments.whole_files import lasting
from passel.ir import ANY, InvalidIR, LowersPasses, ability_of
from passel.ir.frontend import UnreadableError, UsageError
from passel.passes.op_facts import invalid_diagnostic, op_diagnostic
from passel.tool.flags import PROGRAM, flags_in
from passel.tool.irs import ToolDefinition
from passel.tool.output import Output, Renderer, put, streams_kept
from passel.tool.pipelines import PipelineFactory
from passel.tool.process import (
    collector_held,
    guarded,
    let_second_interrupt_end,
    prepare_process,
    release_collector,
)
from passel.tool.replay import CrashReports, Replay, last_words_of
from passel.tool.reports import Reports
from passel.tool.settings import Settings
from passel.tool.sources import read_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passel.hooks import PassInstrumentation
    from passel.instruments.reproducer_file import Recorded
    from passel.ir import IRAdapter
    from passel.ir.frontend import Flag, Frontend, Parsed, SourcePart
    from passel.manager import PassManager, RunResult
    from passel.passes import PassRegistry
    from passel.tool.expectations import DiagnosticVerifier


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-opt; as xdsl-opt, or on MLIR's IR as mlir-opt, if it is called so.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code, as of `opt_main`.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    called = {"xdsl-opt": "--compat=xdsl", "mlir-opt": "--ir=mlir"}.get(Path(sys.argv[0]).stem)
    return _started(words if called is None else [called, *words], ToolDefinition(), argv is None)


def opt_main(  # noqa: PLR0913 - a keyword for each
    argv: Sequence[str] | None = None,
    *,
    name: str = PROGRAM,
    registry: PassRegistry | None = None,
    dialects: Sequence[Any] = (),
    adapter: IRAdapter | None = None,
    flags: Sequence[Flag] = (),
    setup: Callable[[PassManager, Mapping[str, Any]], object] | None = None,
    version: str = "",
    pipeline: str = "",
) -> int:
    """Run a tool like passel-opt, with its flags, for the caller's passes, dialects or IR.

    Args:
        argv: The arguments without the program's name; by default those of the process, in
            which Ctrl-C and SIGTERM then end the tool cleanly.
        name: The program's name: in the help, in messages, and in the commands that replay.
        registry: The passes that a command line may name; by default those of all installed
            packages.
        dialects: Dialects that no installed package brings: xDSL's `Dialect` objects, and for
            MLIR's bindings functions that add to a `DialectRegistry`. Where `--ir` chooses, each
            IR takes its own.
        adapter: The IR that the tool is for, whose adapter must have a frontend (see
            `passel.ir.BringsFrontend`), which parses and prints; by default `--ir` chooses.
        flags: More flags.
        setup: Called with each pass manager before it runs, and with the values of these flags by
            their names. It may add instrumentations and change what a manager verifies, not
            add passes: those come from a registry, where reproducers find them.
        version: The tool's own version, for `--version`.
        pipeline: What runs if the command line has neither a pipeline nor passes, such as the name
            of a registered pipeline; by default nothing.

    Returns:
        The exit code: 0 if all went well, 1 if the input, a pass or the command line is at
        fault, 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.

    Example:
        A tool of one's own is a file such as `my_opt.py`:

            import sys
            from passel.tool import opt_main
            from my_compiler import MyDialect, registry

            sys.exit(opt_main(name="my-opt", registry=registry, dialects=[MyDialect]))

    Source: `mlir::MlirOptMain`, MLIR 22; `xdsl.xdsl_opt_main.xDSLOptMain`, xDSL 0.74.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    tool = ToolDefinition(name, registry, adapter, dialects, flags, setup, version, pipeline)
    return _started(words, tool, argv is None)


def _started(words: list[str], tool: ToolDefinition, is_process: bool) -> int:
    """Run the tool, with fast paths or without them."""
    former = os.environ.get("PASSEL_FAST")
    try:
        if "no-fast-paths" in dict(flags_in(words)):
            os.environ["PASSEL_FAST"] = "0"  # for worker processes as well
        return _run_words(words, tool, is_process)
    finally:
        if former is None:
            os.environ.pop("PASSEL_FAST", None)
        else:
            os.environ["PASSEL_FAST"] = former


def _run_words(words: list[str], tool: ToolDefinition, is_process: bool) -> int:
    run = _run_as_xdsl_opt if ("compat", "xdsl") in flags_in(words) else _run
    if not is_process:
        return guarded(tool.name, words, lambda: run(words, tool))
    prepare_process()
    with collector_held():
        return guarded(tool.name, words, lambda: run(words, tool))


def _run_as_xdsl_opt(words: list[str], tool: ToolDefinition) -> int:
    if tool.adapter is not None and tool.adapter.name != "xdsl":
        raise UsageError(
            f"'--compat' means nothing here: {tool.name} reads '{tool.adapter.name}' alone"
        )
    from passel.xdsl import compat

    words = [word for word in words if word.lstrip("-") != "no-fast-paths"]  # xDSL has no such flag
    write = Output("-").write
    return compat.main(
        words, compat.CompatTool(tool.registry, tool.dialects, write, release_collector)
    )


def _run(words: list[str], tool: ToolDefinition) -> int:
    from passel.tool.irs import chosen_ir

    ir = chosen_ir(words, tool)
    try:
        return _process(Settings(words, tool, ir))
    except (UsageError, PipelineError) as error:
        from passel.tool.irs import hint_at_passes

        if tool.adapter is None and (hint := hint_at_passes(error, ir)):
            error.add_note(hint)
        raise


def _process(settings: Settings) -> int:
    if settings.information.is_asked_for:
        from passel.tool.help import information

        return put(information(settings))
    if settings.pipeline.lint:
        from passel.tool.pipelines import lint_pipeline

        return lint_pipeline(settings)
    from passel.ir import crossing_with

    if settings.ir.frontend.delays_interrupts:
        let_second_interrupt_end()
    with ExitStack() as stack:
        progress = None
        if sys.stderr.isatty():
            from passel.tool.reports import progress_line

            progress = stack.enter_context(progress_line())
        stack.enter_context(crossing_with(settings.ir.adapter_across))
        return Driver(shared_by(settings, progress)).run()


class Driver:
    """One run of the tool over one input.

    Args:
        shared: Services and settings of all parts of the input.

    Raises:
        UsageError: The output cannot be written.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._settings = shared.settings
        self._output = Output(shared.settings.output.o)

    def run(self) -> int:
        """Process the input and return the exit code."""
        try:
            with self._shared.reports, last_words_of(self._settings, self._shared.replay):
                good = self._process_all()
            if self._shared.crashes.failed:
                self._shared.replay.explain()
            if good:
                self._output.commit()
        finally:
            self._output.close()
        self._shared.reports.finish(good=good)
        return 0 if good else 1

    def _process_all(self) -> bool:
        shared = self._shared
        try:
            sources = read_sources(self._settings, shared.frontend, shared.renderer)
        except UnreadableError as error:
            for diagnostic in error.diagnostics:
                shared.renderer(diagnostic)
            return False
        start = lasting("")
        separator = self._settings.output.output_split_marker + "\n"
        good = True
        for index, source in enumerate(sources):
            if index:
                self._output.write(separator)
            good = self._process(source) and good
            with suppress(OSError):  # it is gone
                os.chdir(start)  # where the command line's paths start, wherever a pass has gone
        return good

    def _process(self, source: SourcePart) -> bool:
        """Process a part of the input; return whether it is good."""
        verifier = self._verifier(source)
        with streams_kept():
            result = Part(source, self._shared, verifier or self._shared.renderer).process()
        if result is not None:
            self._output.write(result)
        if verifier is None:
            return result is not None
        complaints = verifier.finish()
        for complaint in complaints:
            self._shared.renderer(complaint)
        return not complaints

    def _verifier(self, source: SourcePart) -> DiagnosticVerifier | None:
        mode = self._settings.diagnostics.verify_diagnostics
        if not mode:
            return None
        from passel.tool.expectations import DiagnosticVerifier

        return DiagnosticVerifier(source, only_expected=mode == "only-expected")


@dataclass(frozen=True, slots=True)
class Shared:
    """Services and settings that all parts of an input share.

    Attributes:
        settings: The settings of the command line.
        frontend: The frontend, which reads and prints the IR.
        renderer: Writes diagnostics.
        pipelines: Makes a pass manager for each part.
        reports: The reports on the runs.
        replay: The reproducers.
        crashes: The reports of passes that crashed.
        progress: The line of progress, on a terminal.
    """

    settings: Settings
    frontend: Frontend
    renderer: Renderer
    pipelines: PipelineFactory
    reports: Reports
    replay: Replay
    crashes: CrashReports
    progress: PassInstrumentation | None


def shared_by(settings: Settings, progress: PassInstrumentation | None = None) -> Shared:
    """Return services and settings for the parts of an input.

    Args:
        settings: The settings of the command line.
        progress: The line of progress, which observes all runs.

    Raises:
        UsageError: A flag's value is wrong, or a report cannot be written.
        PipelineError: The pipeline is wrong.
    """
    frontend: Frontend = settings.frontend()
    renderer = Renderer(
        show_op=settings.diagnostics.mlir_print_op_on_diagnostic,
        hidden=_hidden(settings),
        byte_columns=frontend.byte_columns,
        color=settings.diagnostics.color,
    )
    return Shared(
        settings,
        frontend,
        renderer,
        PipelineFactory(settings),
        Reports(settings),
        Replay(settings),
        CrashReports(settings, renderer),
        progress,
    )


def _hidden(settings: Settings) -> set[Severity]:
    """Return the severities that are shown only as notes of others."""
    hidden: set[Severity] = set()
    if not settings.diagnostics.shows_remarks:
        hidden.add(Severity.REMARK)
    if settings.diagnostics.mlir_diagnostic_verbosity_level == "errors":
        hidden.add(Severity.WARNING)
    if settings.diagnostics.mlir_disable_diagnostic_notes:
        hidden.add(Severity.NOTE)
    return hidden


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
                from passel.tool.pipelines import recorded_plugins

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
        from passel.tool.pipelines import run_stretch

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
