"""passel-opt: pass pipelines on MLIR files from the command line."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from passel.errors import PasselError, PipelineError
from passel.tool.flags import PROGRAM, UsageError, flags_in, read_flags
from passel.tool.output import Output, abandon_stdout, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.passes import PassRegistry
    from passel.tool.flags import Arguments

_INTERRUPTED = 130
"""What shells report for a program that Ctrl-C ended."""

_ENDED_BY = 128
"""What shells add to a signal's number to report a program that it ended."""


_INFORMATION = ("help", "version", "help-passes", "list-passes", "show-dialects")


class Termination(KeyboardInterrupt):
    """The process was asked to end, which must leave behind what Ctrl-C leaves behind.

    Args:
        signal: The number of the signal.
    """

    def __init__(self, signal: int) -> None:
        super().__init__()
        self.signal = signal


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if all went well, 1 if the input, a pass or the command line is at
        fault, 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    if argv is None:
        _prepare_process()
    if sys.stderr is None:  # closed by the caller; Python would print to stdout instead
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - for the rest of the process
    try:
        return _interruptible(words)
    except UsageError as error:
        print(f"{PROGRAM}: error: {error}{_hints(error)}", file=sys.stderr)
    except PipelineError as error:
        for problem in error.problems:
            prefix = "" if problem.span else f"{PROGRAM}: error: "
            print(f"{prefix}{printable(str(problem))}", file=sys.stderr)
        if hints := _hints(error):
            print(hints[1:], file=sys.stderr)
    except PasselError as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
    except BrokenPipeError:
        abandon_stdout()  # whoever read the output has had enough
    return 1


def _prepare_process() -> None:
    """Let SIGTERM and SIGHUP end the process as Ctrl-C does, and native crashes name callers."""
    import faulthandler
    import signal

    with suppress(OSError, ValueError):  # no error stream, or not the main thread
        signal.signal(signal.SIGTERM, _terminate)
        hangup = getattr(signal, "SIGHUP", None)  # not on Windows
        if hangup is not None and signal.getsignal(hangup) is signal.SIG_DFL:  # not under nohup
            signal.signal(hangup, _terminate)
        faulthandler.enable()


def _let_second_interrupt_end() -> None:
    """Let Ctrl-C end the process at once when it comes again.

    The first one is for Python to see, which native passes may keep from running for long.
    """
    import signal

    if signal.getsignal(signal.SIGTERM) is not _terminate:
        return  # somebody else's process
    import ctypes

    with suppress(AttributeError, OSError):  # not the C library of Linux
        library = ctypes.CDLL(None)
        library.signal.restype = ctypes.c_void_p
        library.sysv_signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
        handler = library.signal(signal.SIGINT, None)
        library.sysv_signal(signal.SIGINT, handler)  # forgotten when it is called


def _terminate(signal: int, _: object) -> NoReturn:
    raise Termination(signal)


def _interruptible(words: list[str]) -> int:
    """Run the tool and say what it was doing if it is stopped."""
    try:
        if _wants_xdsl(words):
            from passel.tool.compat import main as xdsl_main

            return xdsl_main(words)
        return _run(words)
    except Termination as error:
        print(f"{PROGRAM}: terminated{_doing(error)}", file=sys.stderr)
        return _ENDED_BY + error.signal
    except KeyboardInterrupt as error:
        print(f"{PROGRAM}: interrupted{_doing(error)}", file=sys.stderr)
        return _INTERRUPTED
    except SystemExit as error:
        if not _doing(error):
            raise  # not a pass's doing
        print(f"{PROGRAM}: error{_doing(error)}", file=sys.stderr)
        return 1


def _doing(error: BaseException) -> str:
    """Return what was going on, if it is known."""
    return "".join(f": {note}" for note in getattr(error, "__notes__", [])[:1])


def _hints(error: BaseException) -> str:
    """Return what else there is to say about an error, each on a line before which it goes on."""
    return "".join(
        f"\n{note}" for note in getattr(error, "__notes__", []) if note.startswith(PROGRAM)
    )


def _run(words: list[str]) -> int:
    from passel.tool.ir_choice import chosen_ir, mlir_hint

    ir = chosen_ir(words)
    if ir == "mlir":
        _let_second_interrupt_end()
    registry = _registry(words, ir)
    try:
        return _process(words, ir, registry)
    except (UsageError, PipelineError) as error:
        if ir != "mlir" and (hint := mlir_hint(words)):
            error.add_note(hint)
        raise


def _process(words: list[str], ir: str, registry: PassRegistry) -> int:
    arguments = read_flags(words, registry.__contains__, lambda: _names(registry))
    information = _information(arguments, registry, ir)
    if information is not None:
        output = Output("-")
        output.write(information)
        output.commit()
        return 0
    from passel.tool.driver import Driver
    from passel.tool.progress import progress_line

    with progress_line() as progress:
        return Driver(arguments, registry, ir, progress).run()


def _registry(words: list[str], ir: str) -> PassRegistry:
    """Return all passes, those of plugins included, which flags may name anywhere."""
    from passel.tool.ir_choice import names_of

    registry = names_of(ir)
    for name, file in flags_in(words):
        if name == "load-pass-plugin" and file:  # without one, reading the flags says so
            from passel.tool.plugins import load_plugin

            load_plugin(file, registry)
    return registry


def _information(arguments: Arguments, registry: PassRegistry, ir: str) -> str | None:
    """Return what a flag such as `--help` asks for, instead of processing anything."""
    if not any(arguments.flag(name) for name in _INFORMATION):
        return None
    from passel.tool import information

    if arguments.flag("help"):
        return information.help_text()
    if arguments.flag("version"):
        return information.version_text(ir)
    if arguments.flag("help-passes"):
        return information.help_passes(registry)
    if arguments.flag("list-passes"):
        return information.list_passes(registry)
    if arguments.flag("show-dialects"):
        return information.show_dialects(ir)
    return None


def _names(registry: PassRegistry) -> list[str]:
    return [info.name for info in (*registry.passes(), *registry.pipelines())]


def _wants_xdsl(words: list[str]) -> bool:
    """Tell whether to take flags as xdsl-opt does: by flag, or by the program's name."""
    return "--compat=xdsl" in words or Path(sys.argv[0]).stem == "xdsl-opt"


__all__ = ["main"]
