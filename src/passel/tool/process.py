"""The process of a program: how it ends, and its last words when it is stopped."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from passel.diagnostics import brief
from passel.errors import PasselError, PipelineError
from passel.ir.left_out import telling_left_out
from passel.tool.output import abandon_stdout, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from passel.instruments.terminals import Color

_ENDED_BY = 128
"""Offset of the exit code of a program that a signal ended, as shells report it."""

_collector_is_held = False


class Termination(KeyboardInterrupt):
    """The process was asked to end, which must leave behind what Ctrl-C leaves behind.

    Args:
        signal: The number of the signal.
    """

    def __init__(self, signal: int) -> None:
        super().__init__()
        self.signal = signal

    def __reduce__(self) -> tuple[type[Termination], tuple[int], dict[str, Any]]:
        """Pickle it with its notes, as it may come from a worker."""
        return Termination, (self.signal,), vars(self)


def guarded(program: str, words: Sequence[str], run: Callable[[], int]) -> int:
    """Run a program, and report in a line why it ends early.

    Args:
        program: Its name.
        words: Its command line.
        run: Runs it, and returns its exit code.
    """
    if sys.stderr is None:  # closed by the caller; Python would print to stdout instead
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - for the rest of the process
    try:
        with telling_left_out(lambda line: _complain(f"{program}: warning: {line}", words)):
            return _interruptible(program, run)
    except PipelineError as error:
        for problem in error.problems:
            prefix = "" if problem.span else f"{program}: error: "
            _complain(f"{prefix}{printable(str(problem))}", words)
        _print_notes(program, error, words)
    except PasselError as error:
        _complain(f"{program}: error: {error}", words)
        _print_notes(program, error, words)
    except BrokenPipeError:
        abandon_stdout()  # the reader has closed the pipe
    return 1


def _interruptible(program: str, run: Callable[[], int]) -> int:
    """Run the tool, and report what it was doing when it was stopped."""
    try:
        return run()
    except Termination as error:
        print(f"{program}: terminated{_doing(error)}", file=sys.stderr)
        return _ENDED_BY + error.signal
    except KeyboardInterrupt as error:
        print(f"{program}: interrupted{_doing(error)}", file=sys.stderr)
        return _ENDED_BY + 2
    except Exception:
        raise
    except BaseException as error:  # noqa: BLE001 - `sys.exit` and the like of a pass or a plugin
        from passel.tracebacks import raised_at

        what = _doing(error) or f": {brief(error)} ({raised_at(error)})"
        print(f"{program}: error{what}", file=sys.stderr)
        return 1


def _doing(error: BaseException) -> str:
    """Return what was running, if an error has a note about it."""
    return "".join(f": {note}" for note in getattr(error, "__notes__", [])[:1])


def _print_notes(program: str, error: PasselError, words: Sequence[str]) -> None:
    for note in getattr(error, "__notes__", []):
        _complain(f"{program}: note: {note}", words)


def _complain(text: str, words: Sequence[str]) -> None:
    """Write an error or a note; `--color` counts although the command line may not be readable."""
    from passel.tool.flags import color_of
    from passel.tool.output import coloured

    color: Color = "auto"
    for word in words:
        name, equals, value = word.partition("=")
        if name in {"-color", "--color"}:
            color = color_of(value) if equals else "always"
    print(coloured(text, sys.stderr, color), file=sys.stderr)


def prepare_process() -> None:
    """Let SIGTERM and SIGHUP end the process as Ctrl-C does, and native crashes name callers.

    A standard stream that the caller has closed leads nowhere: a file that is opened must not
    get its number, or native code writes to that.
    """
    import faulthandler
    import signal

    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    with suppress(OSError, ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _terminate)
        hangup = getattr(signal, "SIGHUP", None)  # not on Windows
        if hangup is not None and signal.getsignal(hangup) is signal.SIG_DFL:  # not under nohup
            signal.signal(hangup, _terminate)
    with suppress(OSError, ValueError, RuntimeError):  # no error stream
        faulthandler.enable()


def _terminate(signal: int, _: object) -> NoReturn:
    raise Termination(signal)


def let_second_interrupt_end() -> None:
    """Let Ctrl-C end the process at once when it comes again.

    The first one is for Python to see, which native passes may keep from running for long.
    """
    import signal

    if signal.getsignal(signal.SIGTERM) is not _terminate:
        return  # the process is that of a caller
    import ctypes

    with suppress(AttributeError, OSError):  # not the C library of Linux
        library = ctypes.CDLL(None)
        library.signal.restype = ctypes.c_void_p
        library.sysv_signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
        handler = library.signal(signal.SIGINT, None)
        library.sysv_signal(signal.SIGINT, handler)  # forgotten when it is called


@contextmanager
def collector_held() -> Generator[None]:
    """Keep the cyclic garbage collector from running inside the `with` block, until it is released.

    Until the passes run, a tool imports modules and parses, and all of that lives until the end.
    """
    global _collector_is_held  # noqa: PLW0603 - as the collector, it is the process's
    _collector_is_held = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if _collector_is_held:
            gc.enable()
        _collector_is_held = False


def release_collector() -> None:
    """Let the collector run as it did before, but not visit what there is by now."""
    global _collector_is_held  # noqa: PLW0603 - as above
    if _collector_is_held:
        _collector_is_held = False
        gc.freeze()
        gc.enable()
