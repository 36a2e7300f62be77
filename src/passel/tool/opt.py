"""Run passel-opt and similar tools, from the command line to the exit code.

Source: `mlir::MlirOptMain`, MLIR 22.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Diagnostic, Severity, brief
from passel.errors import AnchorError, PassFailedError, PipelineError
from passel.frontend import UnreadableError, UsageError
from passel.instruments.whole_files import lasting
from passel.ir.adapters import crossing_with
from passel.passes.remarks import invalid_diagnostic, op_diagnostic
from passel.tool.command_line import PROGRAM, read_known_flags
from passel.tool.flags import InformationFlags, Settings, by_name, chosen_ir
from passel.tool.irs import ToolDefinition, note_dialect_hint, pass_hint
from passel.tool.observers import Observers
from passel.tool.output import Output, Renderer, put
from passel.tool.pipelines import PipelineFactory, lint_pipeline, run_stretch
from passel.tool.process import (
    collector_held,
    guarded,
    let_second_interrupt_end,
    prepare_process,
    release_collector,
)
from passel.tool.replay import Replay, reporting_crashes
from passel.tool.sources import read_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passel.frontend import Flag, Frontend, Parsed, SourcePart
    from passel.instruments.reproducer_file import Recorded
    from passel.ir import IRAdapter
    from passel.manager import PassManager
    from passel.passes import PassRegistry
    from passel.tool.expectations import DiagnosticVerifier


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-opt. If the program is named xdsl-opt or mlir-opt, emulate that tool.

    Args:
        argv: The command-line arguments; by default `sys.argv[1:]`.

    Returns:
        The exit code, as for `opt_main`.
    """
    implied = {"xdsl-opt": ["--compat=xdsl"], "mlir-opt": ["--ir=mlir"]}
    return _start(argv, ToolDefinition(), implied.get(Path(sys.argv[0]).stem, []))


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
    """Run a tool like passel-opt for your own passes, dialects or IR.

    Args:
        argv: The command-line arguments. None means that the tool uses `sys.argv[1:]`, and handles
            SIGTERM and SIGHUP like Ctrl-C.
        name: The program's name in help, messages and replay commands.
        registry: The registry of available passes; by default, the passes of all installed
            packages.
        dialects: Additional dialects. For xDSL, each is a `Dialect` object. For MLIR's bindings,
            each is a function that adds dialects to a `DialectRegistry`. If the flag `--ir` selects
            the IR, dialects for other IRs are ignored.
        adapter: The adapter of the IR, for a tool with a single IR. The adapter must provide a
            frontend (see `IRAdapter.make_frontend`). If omitted, the flag `--ir` selects the
            IR.
        flags: Flags that the tool adds to the flags of passel-opt.
        setup: A function that is called before each run. The arguments are the pass manager, and a
            dict that maps the name of each flag in `flags` to its value. `setup` can add
            instrumentation, and can turn verification on or off. It must not add passes,
            because a reproducer can contain only registered passes.
        version: The text that `--version` prints after the name of the tool.
        pipeline: The pipeline that runs if the command line contains neither a pipeline nor passes.
            An empty string means that no passes run.

    Returns:
        The exit code: 0 on success, 1 after an error in the input, a pass or the command line, 130
        after Ctrl-C, 143 after SIGTERM, and 129 after SIGHUP.

    Example:
        To define your own tool, write a file such as `my_opt.py`:

            import sys
            from passel.tool import opt_main
            from my_compiler import MyDialect, registry

            sys.exit(opt_main(name="my-opt", registry=registry, dialects=[MyDialect]))

    Source: `mlir::MlirOptMain`, MLIR 22; `xdsl.xdsl_opt_main.xDSLOptMain`, xDSL 0.74.
    """
    tool = ToolDefinition(name, registry, adapter, dialects, flags, setup, version, pipeline)
    return _start(argv, tool, [])


# -- From words to the exit code -----------------------------------------------------------------


def _start(argv: Sequence[str] | None, tool: ToolDefinition, implied: Sequence[str]) -> int:
    """Run the tool, with or without fast paths, and return the exit code."""
    words = [*implied, *(sys.argv[1:] if argv is None else argv)]
    compat, no_fast_paths = Settings.flags["compat"], Settings.flags["no_fast_paths"]
    line = read_known_flags(words, by_name((compat, no_fast_paths)))
    run = partial(_run, words, tool)
    if line.value(compat):
        run = partial(_run_as_xdsl_opt, line.inputs, tool)  # xDSL has no flag for the fast paths
    former = os.environ.get("PASSEL_FAST")
    try:
        if line.value(no_fast_paths):
            os.environ["PASSEL_FAST"] = "0"  # for worker processes as well
        if argv is not None:
            return guarded(tool.name, words, run)
        prepare_process()
        with collector_held():
            return guarded(tool.name, words, run)
    finally:
        os.environ.pop("PASSEL_FAST", None)
        if former is not None:
            os.environ["PASSEL_FAST"] = former


def _run_as_xdsl_opt(words: list[str], tool: ToolDefinition) -> int:
    if tool.adapter is not None and tool.adapter.name != "xdsl":
        raise UsageError(
            f"'--compat' is not supported: {tool.name} reads only '{tool.adapter.name}'"
        )
    from passel.xdsl import compat

    return compat.main(words, tool.registry, tool.dialects, Output("-").write, release_collector)


def _run(words: list[str], tool: ToolDefinition) -> int:
    choice = chosen_ir(words, tool)
    try:
        settings = Settings(words, tool, choice)
        if any(getattr(settings, name) for name in InformationFlags.flags):
            from passel.tool.help import information

            return put(information(settings))
        if settings.lint:
            return lint_pipeline(settings)
        with crossing_with(choice.adapter_across):
            return _Driver(settings).run()
    except (UsageError, PipelineError) as error:
        if hint := pass_hint(error, choice):
            error.add_note(hint)
        raise


class _Driver:
    """A run of the tool on one input, with state shared by the parts of the input.

    Args:
        settings: The command-line settings.

    Raises:
        UsageError: If the value of a flag is invalid, or the output or a report cannot be written.
        PipelineError: If the pipeline is invalid.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.frontend: Frontend = settings.configured_frontend()
        self.renderer = Renderer(settings, byte_columns=self.frontend.byte_columns)
        self.pipelines = PipelineFactory(settings)
        self.observers = Observers(settings)
        self.replay = Replay(settings)
        self._output = Output(settings.o)

    def run(self) -> int:
        """Process the input and return the exit code."""
        if self.frontend.is_native:
            let_second_interrupt_end()
        with self._output:
            with self.observers, reporting_crashes(self.settings, self.replay):
                good = self._process_all()
            self.replay.explain()
            if good:
                self._output.commit()
        return 0 if good else 1

    def _process_all(self) -> bool:
        try:
            sources = read_sources(self.settings, self.frontend, self.renderer)
        except UnreadableError as error:
            for diagnostic in error.diagnostics:
                self.renderer(diagnostic)
            return False
        start = lasting("")
        good = True
        for index, source in enumerate(sources):
            if index:
                self._output.write(self.settings.output_split_marker + "\n")
            good = self._process(source) and good
            with suppress(OSError):  # the directory no longer exists
                os.chdir(start)  # paths on the command line are relative to it
        return good

    def _process(self, source: SourcePart) -> bool:
        """Process a part of the input; return whether it succeeded."""
        verifier: DiagnosticVerifier | None = None
        if mode := self.settings.verify_diagnostics:
            from passel.tool.expectations import DiagnosticVerifier

            verifier = DiagnosticVerifier(source, only_expected=mode == "only-expected")
        with self.observers.sifting_remarks(verifier or self.renderer) as report:
            result = _Part(source, self, report).process()
        if result is not None:
            self._output.write(result)
        if verifier is None:
            return result is not None
        complaints = verifier.finish()
        for complaint in complaints:
            self.renderer(complaint)
        return not complaints


class _Part:
    """A part of the input, which is parsed, verified, run and printed in its own context.

    Args:
        source: The text of the part.
        driver: The state that all parts share.
        report: A function that is called with each diagnostic about the part.

    Source: `performActions` of `mlir-opt`, MLIR 22.
    """

    def __init__(
        self, source: SourcePart, driver: _Driver, report: Callable[[Diagnostic], None]
    ) -> None:
        self._source = source
        self._driver = driver
        self._settings = driver.settings
        self._adapter = driver.settings.choice.adapter
        self._report = report
        self._threading: bool = driver.settings.threading
        self._recorded: Recorded | None = None

    def process(self) -> str | bytes | None:
        """Process a part of the input, and return its output, or None after a reported error."""
        observers = self._driver.observers
        with observers.part():
            try:
                with observers.timed("Parser"):
                    parsed = self._read()
                self._run(parsed.op)
                with observers.timed("Output"):
                    return self._print(parsed)
            except UnreadableError as error:
                for diagnostic in error.diagnostics:
                    self._report(diagnostic)
            except PassFailedError as error:
                self._driver.replay.note_failures(error.failures)
        return None

    def _read(self) -> Parsed:
        """Parse and verify the text. Errors name other IRs that have an unknown dialect."""
        settings = self._settings
        try:
            parsed = self._parse()
            self._verify(parsed.op)
        except UnreadableError as error:
            if not (settings.verify_diagnostics or settings.allow_unregistered_dialect):
                for diagnostic in error.diagnostics:
                    note_dialect_hint(diagnostic, self._source, settings.choice)
            raise
        return parsed

    def _parse(self) -> Parsed:
        """Parse the text, and store the pipeline that it records."""
        frontend = self._driver.frontend
        self._context: Any = frontend.new_context()
        parsed = frontend.read(self._source, self._context, self._report)
        if not (self._settings.run_reproducer or self._source.is_reproducer):
            return parsed
        from passel.instruments.reproducer_file import GROUP, read_reproducer

        self._recorded = recorded = read_reproducer(parsed.resources, self._source)
        if recorded is not None and recorded.disable_threading:
            self._threading = False
            frontend.set_threading(self._context, enable=False)
        others = [each for each in parsed.resources if each.group != GROUP]
        return parsed._replace(resources=others)

    def _verify(self, op: Any) -> None:
        is_trusted = self._driver.frontend.verifies or self._settings.disable_verify
        if not is_trusted and (error := self._adapter.verification_error(op, recursive=True)):
            raise UnreadableError([invalid_diagnostic(self._adapter, error)])

    def _run(self, op: Any) -> None:
        """Run the passes.

        Raises:
            UnreadableError: If the pipeline does not fit the input.
            PassFailedError: If a pass fails.
        """
        driver, settings = self._driver, self._settings
        manager = self._manager(op)
        release_collector()
        if (tool := settings.tool).setup is not None:
            tool.setup(manager, {each.name: settings.line.value(each) for each in tool.flags})
        if settings.dump_pass_pipeline:
            text = manager.to_text(all_options=True, pretty=True)
            sys.stderr.write(f"Pass Manager with {len(manager)} passes:\n{text}\n\n")
        driver.observers.record(manager, self._adapter, self._source, driver.replay.command())
        driver.replay.observe(manager, threading=self._threading)
        driver.observers.observe(manager)
        jobs = settings.jobs if self._threading else 1
        try:
            where = self._source.starts_at
            run_stretch(manager, op, settings, where, on_diagnostic=self._report, jobs=jobs)
        except AnchorError as error:
            misfits = driver.pipelines.misfits(error, manager, op, self._recorded)
            raise UnreadableError([*misfits]) from None
        driver.replay.generate(op, self._context, manager, self._adapter)

    def _manager(self, op: Any) -> PassManager:
        """Return the manager of the passes.

        Raises:
            UnreadableError: If the op is not isolated, or the recorded pipeline is invalid.
            PipelineError: If another pipeline cannot be scheduled on the IR.
        """
        recorded, pipelines = self._recorded, self._driver.pipelines
        kind = self._adapter.kind_of(op)
        if pipelines.runs_on_top(recorded) and kind.registered and not kind.isolated:
            message = (
                f"'{kind.name}' op trying to schedule a pass on an operation not marked as "
                "'IsolatedFromAbove'"
            )
            raise UnreadableError([op_diagnostic(self._adapter, Severity.ERROR, message, op)])
        try:
            return pipelines.make(kind, self._context, self._adapter, recorded)
        except PipelineError as error:
            if recorded is None or recorded.pipeline is None or self._source.is_reproducer:
                raise  # the lines of a record are not IR
            found = [recorded.diagnostic(problem) for problem in error.problems]
            if hint := pass_hint(error, self._settings.choice):
                found[-1].attach_note(hint, found[-1].location)
            raise UnreadableError(found) from None

    def _print(self, parsed: Parsed) -> str | bytes | None:
        try:
            return self._driver.frontend.emit(parsed, self._context)
        except Exception as error:  # noqa: BLE001 - targets raise what they like for IR they do not take
            from passel.tracebacks import raised_at

            where = f"target '{self._settings.target}' failed in {raised_at(error)}"
            place = self._adapter.location(parsed.op)
            self._report(Diagnostic(Severity.ERROR, f"{where}: {brief(error)}", place))
            return None
