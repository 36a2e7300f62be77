"""Reports of passes that crashed, beside the diagnostics."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from passel.diagnostics import Diagnostic, Severity
from passel.execution import Run
from passel.execution.streams import last_words
from passel.hooks import PassInstrumentation
from passel.passes import Pass

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import FrameType

    from passel.errors import Failure
    from passel.tool.replay import Replay
    from passel.tool.settings import Settings


class CrashReports(PassInstrumentation):
    """Shows where in Python a pass crashed, unless diagnostics are under test.

    Args:
        settings: The settings of the command line.
        report: Takes a note about it.

    Attributes:
        failed: Whether a run of any part of the input has failed.
    """

    crosses = True

    def __init__(self, settings: Settings, report: Callable[[Diagnostic], None]) -> None:
        self._is_quiet = bool(settings.diagnostics.verify_diagnostics)
        self._in_full: bool = settings.diagnostics.mlir_print_stacktrace_on_diagnostic
        self._report = report
        self.failed: bool = False

    def on_failure(self, failure: Failure) -> None:
        """Show where the pass crashed, right below the error."""
        cause = failure.cause
        if failure.kind != "crashed" or cause is None or self._is_quiet:
            return
        from passel.tracebacks import raised_at, traceback_of

        if self._in_full:
            sys.stderr.write(traceback_of(cause))
        else:
            message = (
                "the pass crashed here; --mlir-print-stacktrace-on-diagnostic prints the traceback"
            )
            self._report(Diagnostic(Severity.NOTE, message, raised_at(cause)))


def culprit(error: BaseException) -> str:
    """Return the place that raised an error outside of a run, and the pass if it is in one."""
    import traceback

    from passel.tracebacks import raised_at

    place = raised_at(error)
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        owner = frame.f_locals.get("self", frame.f_locals.get("cls"))
        if isinstance(owner, Pass) or (isinstance(owner, type) and issubclass(owner, Pass)):
            return f"'{frame.f_code.co_name}' of pass '{owner.name}' ({place})"
    return str(place)


@contextmanager
def last_words_of(settings: Settings, replay: Replay) -> Generator[None]:
    """Let native code that ends the process say in which pass that was, and how to go on."""
    process = os.getpid()

    def words() -> str:
        lines = [at_work()]
        if os.getpid() == process:  # no worker, without which the run goes on
            lines.append(replay.of_the_dead())
            if record := settings.records.record:
                lines.append(f"passel-report {record} shows what had run")
        return "".join(f"{settings.program}: note: {line}\n" for line in lines if line)

    last_words.append(words)
    try:
        yield
    finally:
        last_words.remove(words)


def at_work() -> str:
    """Return which pass runs on which op; empty if none does.

    It is read off the stacks of all threads, so that nothing has to take note of it.
    """
    for top in sys._current_frames().values():  # pyright: ignore[reportPrivateUsage]
        frame: FrameType | None = top
        while frame is not None:
            if frame.f_code is Run.run_step.__code__ and frame.f_locals["step"].pass_:
                step, op, ctx = (frame.f_locals[name] for name in ("step", "op", "ctx"))
                symbol = ctx.adapter.symbol_name(op)
                where = f"'{ctx.plan.op_name}'" + (f" @{symbol}" if symbol else "")
                return f"in pass '{step.title}' on {where} [{step.path}]"
            frame = frame.f_back
    return ""
