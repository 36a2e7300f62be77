"""Reproducers that flags request, and commands that replay failed runs."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.errors import PassFailure
from passel.execution import Run
from passel.execution.process_state import last_words
from passel.instruments.whole_files import lasting, write_whole
from passel.tool.output import CANNOT_OPEN, check_file_of_flag, refusing

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from types import FrameType

    from passel.errors import Failure
    from passel.instruments.reproducer import CrashReproducer
    from passel.ir import IRAdapter
    from passel.manager import PassManager
    from passel.tool.flags import Settings


class Replay:
    """A writer of the reproducers that the flags request. One writer serves all parts of the input.

    If the input is split and the flag names the file `name.mlir`, the second reproducer is written
    to `name.1.mlir`, and so on.

    Args:
        settings: The command-line settings.

    Raises:
        UsageError: If a reproducer cannot be written.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._current: CrashReproducer | None = None
        self._written = 0
        self._generated = 0
        self._failures: list[Failure] = []
        self._start = lasting("")
        for flag in ("mlir-pass-pipeline-crash-reproducer", "mlir-generate-reproducer"):
            if path := getattr(settings, flag.replace("-", "_")):
                check_file_of_flag(settings, flag, path)

    def observe(self, manager: PassManager, *, threading: bool) -> None:
        """If a flag requests reproducers, make a pass manager write a reproducer when a run fails.

        Args:
            manager: The pass manager.
            threading: Whether the replay may run passes on several threads.
        """
        if self._current is not None and self._current.reproducer is not None:
            self._written += 1
        self._current = None
        path = self._settings.mlir_pass_pipeline_crash_reproducer
        if not path:
            return
        from passel.instruments.reproducer import CrashReproducer

        self._current = CrashReproducer(
            _numbered(path, self._written),
            local=self._settings.mlir_pass_pipeline_local_reproducer,
            threading=threading,
            replay=self.command(),
        )
        manager.add_instrumentation(self._current)

    def command(self, program: str = "") -> Sequence[str]:
        """Return the words of the command that replays a reproducer, before the file name.

        Args:
            program: The program that the command runs; by default, the current program. If
                `program` is given, the command omits flags that only the current program accepts.
        """
        words = [program or self._settings.tool.name, "--run-reproducer"]
        own = () if program else self._settings.brought
        words += {  # the last of each flag
            str(given) if given.flag.repeated else given.flag.name: str(given)
            for given in self._settings.line.flags
            if given.flag.replayed or given.flag.name in own
        }.values()
        if self._settings.verify_each == "always":
            words.append("--verify-each=always")
        return words

    def generate(self, op: Any, context: Any, manager: PassManager, adapter: IRAdapter) -> None:
        """Write the reproducer of `--mlir-generate-reproducer`: the resulting IR and the pipeline.

        Args:
            op: The op after the run.
            context: The context of the op.
            manager: The pass manager whose pipeline the reproducer contains.
            adapter: The adapter of the IR.

        Raises:
            UsageError: If the reproducer cannot be written.
        """
        path = self._settings.mlir_generate_reproducer
        if not path:
            return
        from passel.instruments.reproducer_file import reproducer_text

        ir = adapter.readable_source(adapter.print_source(op, context), context)
        text = reproducer_text(ir, manager.to_text(all_options=True), verify_each=False)
        name = _numbered(path, self._generated)
        with refusing(CANNOT_OPEN, name):
            write_whole(self._start / name, text)
        self._generated += 1

    def crash_hint(self) -> str:
        """Return a hint on how to replay a run that crashes the process.

        Returns:
            The hint, or an empty string if no reproducer is being written.
        """
        running = self._current.running if self._current is not None else None
        if running is None:
            return ""
        path = Path(self._settings.mlir_pass_pipeline_crash_reproducer).with_name(running.name)
        return f"to replay: {shlex.join([*self.command(), str(path)])}"

    def note_failures(self, failures: Iterable[Failure]) -> None:
        """Store the failures of a run, so that `explain` can report them."""
        self._failures += failures

    def explain(self) -> None:
        """Print the tracebacks of crashed passes, and how to replay failed runs.

        With `--verify-diagnostics`, nothing is printed.
        """
        settings = self._settings
        if settings.verify_diagnostics or not self._failures:
            return
        lines: list[str] = []
        causes = (_origin(e.cause) for e in self._failures if e.kind == "crashed" or e.is_reported)
        crashes = [each for each in causes if each and not isinstance(each, PassFailure)]
        if crashes and settings.mlir_print_stacktrace_on_diagnostic:
            from passel.tracebacks import traceback_of

            sys.stderr.write("".join(dict.fromkeys(map(traceback_of, crashes))))
        elif crashes:
            lines.append("to print the traceback, add --mlir-print-stacktrace-on-diagnostic")
        how = "write a reproducer of this run, add --mlir-pass-pipeline-crash-reproducer=repro.mlir"
        if settings.input != "-":  # a replay keeps the record of this run
            how = f"replay: {shlex.join([settings.tool.name, *settings.words_without('record')])}"
        if not settings.mlir_pass_pipeline_crash_reproducer:  # whose diagnostic names the command
            lines.append(f"to {how}")
        sys.stderr.write("".join(f"{settings.tool.name}: note: {line}\n" for line in lines))


def _origin(error: BaseException | None) -> BaseException | None:
    """Return why a composite pass or a crossing failed; for other errors, the error itself."""
    while isinstance(error, PassFailure) and error.is_reported:
        error = error.__cause__
    return error


def _numbered(path: str, number: int) -> str:
    if not number:
        return path
    file = Path(path)
    return str(file.with_name(f"{file.stem}.{number}{file.suffix}"))


@contextmanager
def reporting_crashes(settings: Settings, replay: Replay) -> Generator[None]:
    """If native code ends the process in a `with` block, print the running pass and a hint."""
    process = os.getpid()

    def words() -> str:
        lines = [running_pass()]
        if os.getpid() == process:  # not a worker; the run survives workers
            lines.append(replay.crash_hint())
            if record := settings.record:
                lines.append(f"to see what ran: {shlex.join(['passel-report', record])}")
        return "".join(f"{settings.tool.name}: note: {line}\n" for line in lines if line)

    last_words.append(words)
    try:
        yield
    finally:
        last_words.remove(words)


def running_pass() -> str:
    """Return a phrase that names the running pass and its op.

    Returns:
        The phrase, or an empty string if no pass is running.

    The function inspects the call stacks of all threads, so that runs need not keep track of the
    running pass.
    """
    for top in sys._current_frames().values():  # pyright: ignore[reportPrivateUsage]
        frame: FrameType | None = top
        while frame is not None:
            if frame.f_code is Run.run_steps.__code__ and frame.f_locals["step"].pass_:
                step, op, ctx = (frame.f_locals[name] for name in ("step", "op", "ctx"))
                symbol = ctx.adapter.symbol_name(op)
                where = f"'{ctx.plan.op_name}'" + (f" @{symbol}" if symbol else "")
                return f"in pass '{step.title}' on {where} [{step.path}]"
            frame = frame.f_back
    return ""
