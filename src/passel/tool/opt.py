"""The tool as a program: its arguments, its exit code, and its last words when it is stopped."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from passel.diagnostics import brief
from passel.errors import PasselError, PipelineError
from passel.ir.frontend import UsageError
from passel.ir.left_out import telling_left_out
from passel.tool.collector import collector_held, release_collector
from passel.tool.definition import ToolDefinition
from passel.tool.flags import PROGRAM, flags_in
from passel.tool.output import Output, abandon_stdout, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passel.instruments.terminals import Color
    from passel.ir import IRAdapter
    from passel.ir.frontend import Flag
    from passel.manager import PassManager
    from passel.passes import PassRegistry
    from passel.tool.irs import IRChoice
    from passel.tool.settings import Settings

_INTERRUPTED = 130
"""Exit code of a program that Ctrl-C ended, as shells report it."""

_ENDED_BY = 128
"""Offset of the exit code of a program that a signal ended, as shells report it."""


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


def opt_main(
    argv: Sequence[str] | None = None,
    *,
    name: str = PROGRAM,
    registry: PassRegistry | None = None,
    dialects: Sequence[Any] = (),
    adapter: IRAdapter | None = None,
    flags: Sequence[Flag] = (),
    setup: Callable[[PassManager, Mapping[str, Any]], object] | None = None,
    version: str = "",
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
    tool = ToolDefinition(name, registry, adapter, dialects, flags, setup, version)
    return _started(words, tool, argv is None)


def _started(words: list[str], tool: ToolDefinition, is_process: bool) -> int:
    """Run the tool: with fast paths, without them, or both ways."""
    former = os.environ.get("PASSEL_FAST")
    if former == "check" and is_process:
        from passel.tool.both_ways import run_both_ways

        return run_both_ways(tool.name)
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


def guarded(program: str, words: Sequence[str], run: Callable[[], int]) -> int:
    """Run the tool, and report in a line why it ends early."""
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
        return _INTERRUPTED
    except Exception:
        raise
    except BaseException as error:  # noqa: BLE001 - `sys.exit` and the like of a pass or a plugin
        from passel.tool.crashes import culprit

        what = _doing(error) or f": {culprit(error)} raised {brief(error)}"
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
    from passel.tool.flag_values import color_of
    from passel.tool.rendering import coloured

    color: Color = "auto"
    for word in words:
        if word in {"-color", "--color"}:
            color = "always"
        elif word.startswith(("-color=", "--color=")):
            color = color_of(word.partition("=")[2])
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


def _let_second_interrupt_end() -> None:
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


def _run(words: list[str], tool: ToolDefinition) -> int:
    from passel.tool.irs import chosen_ir

    ir = chosen_ir(words, tool)
    names = ir.names(tool.registry)
    try:
        settings = ir.settings(words, names)
        return _process(settings, ir, names)
    except (UsageError, PipelineError) as error:
        from passel.tool.irs import hint_at_other_ir

        if tool.adapter is None and (hint := hint_at_other_ir(words, ir.name, names)):
            error.add_note(hint)
        raise


def _print(text: str) -> int:
    output = Output("-")
    output.write(text)
    output.commit()
    return 0


def _process(settings: Settings, ir: IRChoice, names: PassRegistry) -> int:
    if settings.information.is_asked_for:
        from passel.tool.information import information

        return _print(information(settings, ir, names))
    instead = [
        name for name in ("lint", "draw-pipeline", "print-pipeline") if name in settings.written
    ]
    if len(instead) > 1:
        one, other, *_ = instead
        raise UsageError(f"'--{one}' and '--{other}' both stand in place of a run: give one")
    if settings.pipeline.cluster and not settings.threading:
        raise UsageError("'--cluster' asks for what '--mlir-disable-threading' forbids: give one")
    if settings.pipeline.draw_pipeline:
        from passel.tool.pictures import draw_pipeline

        return draw_pipeline(settings, names)
    if settings.pipeline.print_pipeline:
        from passel.tool.pictures import print_pipeline

        return print_pipeline(settings, names)
    if settings.pipeline.lint:
        from passel.tool.linting import lint_pipeline

        return lint_pipeline(settings, ir, names)
    from passel.ir import crossing_with
    from passel.tool.driver import Driver
    from passel.tool.shared import shared_by

    if ir.frontend.delays_interrupts:
        _let_second_interrupt_end()
    with ExitStack() as stack:
        progress = None
        if sys.stderr.isatty():
            from passel.tool.progress import progress_line

            progress = stack.enter_context(progress_line())
        stack.enter_context(crossing_with(ir.adapter_across))
        cluster = None
        if settings.pipeline.cluster:
            from passel.tool.cluster import workers_at

            cluster = stack.enter_context(workers_at(settings.pipeline.cluster))
        return Driver(shared_by(settings, ir, names, progress, cluster)).run()
