"""passel-opt, and tools like it, as a program: from its arguments to its exit code."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.errors import PipelineError
from passel.ir.frontend import UsageError
from passel.tool.flags import PROGRAM, flags_in
from passel.tool.irs import ToolDefinition
from passel.tool.output import Output, put
from passel.tool.process import (
    collector_held,
    guarded,
    let_second_interrupt_end,
    prepare_process,
    release_collector,
)
from passel.tool.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passel.ir import IRAdapter
    from passel.ir.frontend import Flag
    from passel.manager import PassManager
    from passel.passes import PassRegistry


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
        from passel.tool.information import information

        return put(information(settings))
    if settings.pipeline.lint:
        from passel.tool.pipelines import lint_pipeline

        return lint_pipeline(settings)
    from passel.ir import crossing_with
    from passel.tool.driver import Driver
    from passel.tool.shared import shared_by

    if settings.ir.frontend.delays_interrupts:
        let_second_interrupt_end()
    with ExitStack() as stack:
        progress = None
        if sys.stderr.isatty():
            from passel.tool.progress import progress_line

            progress = stack.enter_context(progress_line())
        stack.enter_context(crossing_with(settings.ir.adapter_across))
        return Driver(shared_by(settings, progress)).run()
