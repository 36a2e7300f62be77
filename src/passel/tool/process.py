"""Process-wide behavior of a program: signals, exit codes and garbage collection."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from passel.diagnostics import brief, warning_with
from passel.errors import PasselError, PipelineError
from passel.tool.output import abandon_stdout, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from passel.instruments.terminals import Color

_ENDED_BY = 128
"""The offset of exit codes for signals, as in shells."""

_collector_is_held = False


class Termination(KeyboardInterrupt):
    """An exception that ends the process after a signal, with the same cleanup as Ctrl-C.

    Args:
        signal: The number of the received signal.
    """

    def __init__(self, signal: int) -> None:
        super().__init__(signal)  # for workers, which pickle it
        self.signal = signal


def guarded(program: str, words: Sequence[str], run: Callable[[], int]) -> int:
    """Run a program, report its errors and signals, and return the exit code.

    Args:
        program: The name of the program.
        words: The command-line arguments of the program.
        run: A function that runs the program and returns the exit code.
    """
    if sys.stderr is None:  # closed by the caller; Python would print to stdout instead
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - for the rest of the process
    try:
        with warning_with(lambda line: _complain(f"{program}: warning: {line}", words)):
            return run()
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

        what = f"{brief(error)} ({raised_at(error)})"
        print(f"{program}: error{_doing(error)}: {what}", file=sys.stderr)
    return 1


def _doing(error: BaseException) -> str:
    """Return the note of an error about the running pass, if any."""
    return "".join(f": {note}" for note in getattr(error, "__notes__", [])[:1])


def _print_notes(program: str, error: PasselError, words: Sequence[str]) -> None:
    for note in getattr(error, "__notes__", []):
        _complain(f"{program}: note: {note}", words)


def _complain(text: str, words: Sequence[str]) -> None:
    """Write an error or a note, respecting `--color` even in an invalid command line."""
    from passel.tool.command_line import read_known_flags
    from passel.tool.flags import Settings
    from passel.tool.output import coloured

    flag = Settings.flags["color"]
    color: Color = read_known_flags(words, {flag.name: flag}).value(flag)
    print(coloured(text, sys.stderr, color), file=sys.stderr)


def prepare_process() -> None:
    """Handle SIGTERM and SIGHUP like Ctrl-C, and print the Python stack after a native crash.

    Closed standard streams are redirected to the null device, since native code could otherwise
    write to a file that reuses the descriptor of a closed stream.
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
    """Make a second Ctrl-C end the process immediately.

    Python handles the first Ctrl-C, but only after a running native pass returns.
    """
    import signal

    if signal.getsignal(signal.SIGTERM) is not _terminate:
        return  # the process belongs to the caller
    import ctypes

    with suppress(AttributeError, OSError):  # not the C library of Linux
        library = ctypes.CDLL(None)
        library.signal.restype = ctypes.c_void_p
        library.sysv_signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
        handler = library.signal(signal.SIGINT, None)
        library.sysv_signal(signal.SIGINT, handler)  # reset by the first call


@contextmanager
def collector_held() -> Generator[None]:
    """Disable the garbage collector until `release_collector` is called or the `with` block ends.

    Collecting garbage would waste time, since most objects that imports and parsing create live
    until the program exits.
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
    """Enable the garbage collector that `collector_held` disabled.

    Objects that exist at the time of the call are exempt from collection.
    """
    global _collector_is_held  # noqa: PLW0603 - as above
    if _collector_is_held:
        _collector_is_held = False
        gc.freeze()
        gc.enable()
