"""What the tool does: read, split, and for each part parse, verify, run and print.

Source: `mlir::MlirOptMain`, MLIR 22.
"""

from __future__ import annotations

import codecs
import sys
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Diagnostic, Location, Severity, brief, file_problem
from passel.errors import AnchorError, PassFailedError, PipelineError
from passel.instruments.reproducer_file import GROUP
from passel.ir import ANY, InvalidIR
from passel.passes.context import op_diagnostic
from passel.tool.actions import Actions
from passel.tool.expectations import DiagnosticVerifier
from passel.tool.flags import UsageError, stray_hint
from passel.tool.instruments import Instruments, check_reports
from passel.tool.ir_choice import make_ir
from passel.tool.ir_printing import finish_printing, make_printer
from passel.tool.irs import BYTECODE, UnreadableError
from passel.tool.observers import Announcer, PassTimer, PrintBetweenPasses
from passel.tool.output import Output
from passel.tool.pipelines import PipelineFactory
from passel.tool.rendering import Renderer
from passel.tool.replay import Replay, read_reproducer
from passel.tool.splitting import Chunk, split_input

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.errors import Failure
    from passel.instruments.hooks import PassInstrumentation
    from passel.instruments.ir_printing import PrintIR
    from passel.ir import IRAdapter
    from passel.manager import PassManager
    from passel.passes import PassRegistry
    from passel.tool.flags import Arguments
    from passel.tool.irs import Parsed, ToolIR
    from passel.tool.replay import Recorded

_LONGEST_HINT = 100


class Driver:
    """One run of the tool over one input.

    Args:
        arguments: The command line.
        registry: The passes that it may name.
        ir: The IR: `xdsl` or `mlir`.
        progress: What else observes all runs.

    Raises:
        UsageError: The output cannot be written, or a flag's value is wrong.
        PipelineError: The pipeline is wrong.
    """

    def __init__(
        self,
        arguments: Arguments,
        registry: PassRegistry,
        ir: str = "xdsl",
        progress: PassInstrumentation | None = None,
    ) -> None:
        frontend = arguments.text("frontend")
        if frontend != "mlir":
            raise UsageError(f"no such frontend '{frontend}'; 'mlir' is the only one")
        self.arguments = arguments
        self.registry = registry
        self.progress = progress
        check_reports(arguments)
        self.ir: ToolIR = make_ir(arguments, ir)
        self.adapter: IRAdapter = self.ir.adapter
        self.pipelines: PipelineFactory = PipelineFactory(arguments, registry)
        self.replay: Replay = Replay(arguments)
        self.printer: PrintIR | None = make_printer(arguments, registry)
        self.renderer: Renderer = Renderer(
            show_op=arguments.flag("mlir-print-op-on-diagnostic"), hidden=_hidden(arguments)
        )
        self.renderer.byte_columns = ir == "mlir"
        self.shrunk: bool = False
        self.explained: list[Failure] = []
        self.output: Output = Output(arguments.text("o"))

    def run(self) -> int:
        """Process the input and return the exit code."""
        try:
            self.actions: Actions = Actions(self.arguments, self.registry)
            with self.actions:
                good = self._run()
            self.replay.explain()
            if good:
                self.output.commit()
        finally:
            self.output.discard()
        finish_printing(self.printer)
        if self.arguments.flag("shrink"):
            print("Success, can shrink" if self.shrunk else "Failure, can't shrink")
            return 0 if self.shrunk else 1
        return 0 if good else 1

    def _run(self) -> bool:
        name, text = self._read()
        if text is None:
            return False
        if isinstance(text, bytes):
            return self._process(Chunk(text, 0), name)
        self.renderer.add_source(name, text)
        marker = self.arguments.text("split-input-file")
        chunks = list(split_input(text, marker, name, self.renderer))
        separator = self.arguments.text("output-split-marker") + "\n"
        good = True
        for index, chunk in enumerate(chunks):
            if index:
                self.output.write(separator)
            good = self._process(chunk, name) and good
        return good

    def _read(self) -> tuple[str, str | bytes | None]:
        """Return the input's name as diagnostics show it, and its text or bytecode."""
        path = self.arguments.inputs[0] if self.arguments.inputs else "-"
        name = "<stdin>" if path == "-" else path
        if path == "-" and sys.stdin is None:
            raise UsageError("there is no input: no file is given and the standard input is closed")
        try:
            data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        except (OSError, ValueError) as error:
            reason = f"{file_problem(error)}{stray_hint(self.arguments)}"
            raise UsageError(f"cannot open input file '{path}': {reason}") from None
        if data.startswith(BYTECODE):
            if self.ir.reads_bytecode:
                return name, data
            raise UsageError(f"'{name}' is MLIR bytecode, which xDSL cannot read; --ir=mlir can")
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise UsageError(f"'{name}' is UTF-16; MLIR is UTF-8")
        data = data.removeprefix(codecs.BOM_UTF8)  # editors add it, and it says nothing
        try:
            return name, data.decode("utf-8")
        except UnicodeDecodeError as error:
            if self.ir.reads_files and path != "-":
                self.renderer.add_source(name, data.decode("utf-8", "replace"))
                return name, data
            before = data[: error.start].decode("utf-8").split("\n")
            place = Location(name, len(before), len(before[-1]) + 1)
            self.renderer.add_source(name, data.decode("utf-8", "replace"))
            message = f"the input is not text: byte 0x{data[error.start]:02x} is not UTF-8"
            self.renderer(Diagnostic(Severity.ERROR, message, place))
            return name, None

    def _process(self, chunk: Chunk, name: str) -> bool:
        """Process one part of the input with a context of its own; return whether it is good."""
        mode = self.arguments.text("verify-diagnostics")
        if not mode:
            return self._process_chunk(chunk, name, self.renderer)
        only_expected = mode == "only-expected"
        text: str | bytes = chunk.text
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        verifier = DiagnosticVerifier(text, name, chunk.line_offset, only_expected=only_expected)
        self._process_chunk(chunk, name, verifier)
        complaints = verifier.finish()
        for complaint in complaints:
            self.renderer(complaint)
        return not complaints

    def _process_chunk(self, chunk: Chunk, name: str, report: Callable[[Diagnostic], None]) -> bool:
        with Instruments(self.arguments, self.printer) as instruments:
            return self._process_observed(chunk, name, report, instruments)

    def _process_observed(
        self,
        chunk: Chunk,
        name: str,
        report: Callable[[Diagnostic], None],
        instruments: Instruments,
    ) -> bool:
        recorded = None
        try:
            context = self.ir.new_context()
            with instruments.scope("Parser"), self.actions.scope("Parser"):
                parsed = self.ir.parse(chunk, name, context, report)
            if self.arguments.flag("run-reproducer"):
                parsed, recorded = self._without_recorded(parsed, chunk, name)
        except UnreadableError as error:
            if self.arguments.flag("parsing-diagnostics"):
                self.output.write(error.text)
                return True
            for diagnostic in error.diagnostics:
                report(diagnostic)
            return False
        op = parsed.op
        with instruments.scope("Parser"), self.actions.scope("Verify the input"):
            valid = self._is_valid(op, report)
        if not valid or not self._run_passes(op, context, report, instruments, recorded):
            return False
        with instruments.scope("Output"), self.actions.scope("Output"):
            return self._print(parsed, context, report)

    def _without_recorded(
        self, parsed: Parsed, chunk: Chunk, name: str
    ) -> tuple[Parsed, Recorded | None]:
        """Return the input without what it records, which is not printed again, and that."""
        recorded = read_reproducer(parsed.resources, chunk, name)
        rest = [each for each in parsed.resources if each.group != GROUP]
        if recorded is not None and recorded.disable_threading is not None:
            self.arguments.given["mlir-disable-threading"] = recorded.disable_threading
        return parsed._replace(resources=rest), recorded

    def _is_valid(self, op: Any, report: Callable[[Diagnostic], None]) -> bool:
        if self.ir.verifies_input or self.arguments.flag("disable-verify"):
            return True
        try:
            self.adapter.verify(op, recursive=True)
        except InvalidIR as error:
            name = self.adapter.kind_of(error.op).name
            message = f"'{name}' op {error.message}"
            diagnostic = op_diagnostic(self.adapter, Severity.ERROR, message, error.op)
            for place, note in error.notes:
                diagnostic.attach_note(note, self.adapter.location(place))
            report(diagnostic)
            return False
        return True

    def _manager(
        self,
        op: Any,
        context: Any,
        report: Callable[[Diagnostic], None],
        recorded: Recorded | None,
    ) -> PassManager | None:
        """Return what runs the passes; None if what the input records is wrong."""
        anchor = self.adapter.kind_of(op).name
        try:
            return self.pipelines.make(anchor, context, self.adapter, recorded)
        except PipelineError as error:
            if recorded is None or recorded.pipeline is None:
                raise
            for problem in error.problems:
                report(recorded.diagnostic(problem))
            return None

    def _run_passes(
        self,
        op: Any,
        context: Any,
        report: Callable[[Diagnostic], None],
        instruments: Instruments,
        recorded: Recorded | None,
    ) -> bool:
        manager = self._manager(op, context, report, recorded)
        if manager is None:
            return False
        if self.arguments.flag("dump-pass-pipeline"):
            text = manager.to_text(all_options=True, pretty=True)
            sys.stderr.write(f"Pass Manager with {len(manager)} passes:\n{text}\n\n")
        self.replay.observe(manager)
        instruments.observe(manager)
        self.actions.observe(manager)
        if self.progress is not None:
            manager.add_instrumentation(self.progress)
        with ExitStack() as stack:
            if self.arguments.flag("print-between-passes"):
                manager.add_instrumentation(PrintBetweenPasses(self.adapter))
            if self.arguments.flag("time-passes"):
                manager.add_instrumentation(stack.enter_context(PassTimer()))
            announcer = Announcer(report, self._explain_crash)
            manager.add_instrumentation(announcer)
            stack.callback(announcer.flush)
            try:
                manager.run(op, on_diagnostic=announcer)
            except AnchorError as error:
                location = self.adapter.location(op)
                for problem in error.problems:
                    if problem.span is not None:
                        raise
                    anchor = self.adapter.kind_of(op).name
                    message = problem.message + _nesting_hint(manager, anchor)
                    report(Diagnostic(Severity.ERROR, message, location))
                return False
            except PassFailedError as error:
                announcer.flush()
                self._take_failures(error.failures)
                return False
        self.replay.generate(op, context, manager, self.adapter)
        return True

    def _print(self, parsed: Parsed, context: Any, report: Callable[[Diagnostic], None]) -> bool:
        op = parsed.op
        try:
            text = self.ir.emit(op, context, parsed.resources)
        except Exception as error:  # noqa: BLE001 - targets raise what they like for IR they do not take
            target = self.arguments.text("target")
            message = f"target '{target}' failed in {_raised_at(error)}: {brief(error)}"
            report(Diagnostic(Severity.ERROR, message, self.adapter.location(op)))
            return False
        self.output.write(text)
        return True

    def _take_failures(self, failures: Sequence[Failure]) -> None:
        self.replay.failed = True
        for failure in failures:
            self._explain_crash(failure)
        self.shrunk = any(_is_shrink(failure.cause) for failure in failures)

    def _explain_crash(self, failure: Failure) -> None:
        """Tell the author of a pass once where it crashed, unless diagnostics are under test."""
        cause = failure.cause
        if failure.kind != "crashed" or cause is None or _is_shrink(cause):
            return
        if self.arguments.text("verify-diagnostics"):
            return
        if any(each is failure for each in self.explained):
            return
        self.explained.append(failure)
        if self.arguments.flag("mlir-print-stacktrace-on-diagnostic"):
            sys.stderr.write("".join(traceback.format_exception(cause)))
        else:
            message = (
                "the pass crashed here; --mlir-print-stacktrace-on-diagnostic shows how "
                "it came there"
            )
            self.renderer(Diagnostic(Severity.NOTE, message, _raised_at(cause)))


def _hidden(arguments: Arguments) -> set[Severity]:
    """Return what is not shown, unless it is attached to something."""
    hidden: set[Severity] = set()
    level = arguments.text("mlir-diagnostic-verbosity-level")
    if level != "remarks":
        hidden.add(Severity.REMARK)
    if level == "errors":
        hidden.add(Severity.WARNING)
    if arguments.flag("mlir-disable-diagnostic-notes"):
        hidden.add(Severity.NOTE)
    return hidden


def _is_shrink(cause: BaseException | None) -> bool:
    """Tell whether a pass asked the tool that shrinks its input to go on."""
    return type(cause).__name__ == "ShrinkException"  # without loading xDSL


def _raised_at(error: BaseException) -> Location:
    """Return where in Python an error was raised; the path starts here if it is below."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    path = Path(frame.filename)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return Location(str(path), frame.lineno or 0, (frame.colno or 0) + 1)


def _nesting_hint(manager: PassManager, anchor: str) -> str:
    if manager.anchor in (ANY, anchor):
        return ""
    text = str(manager)
    inner = text if len(text) <= _LONGEST_HINT else f"{manager.anchor}(...)"
    return f"; to run it on the ops inside, write {anchor}({inner})"
