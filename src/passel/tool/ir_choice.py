"""Which IR a command line means: `--ir`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from passel.errors import PipelineError
from passel.tool.flag_table import FLAGS
from passel.tool.flags import PROGRAM, UsageError, flags_in
from passel.tool.irs import BYTECODE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.passes import PassRegistry
    from passel.tool.flags import Arguments
    from passel.tool.irs import ToolIR


def make_ir(arguments: Arguments, name: str) -> ToolIR:
    """Return the IR of a name.

    Raises:
        UsageError: A flag's value is wrong, or has no meaning for this IR.
    """
    if name == "mlir":
        from passel.tool.mlir_ir import MLIRTool

        return MLIRTool(arguments)
    from passel.tool.xdsl_ir import XDSLTool

    return XDSLTool(arguments)


def chosen_ir(words: Sequence[str]) -> str:
    """Return the IR that a command line means, before its flags can be read: `xdsl` or `mlir`.

    `auto` is MLIR's bindings if the input is bytecode or a pass of the pipeline is only
    theirs, else xDSL.
    """
    chosen = "xdsl"
    for name, value in flags_in(words):
        if name == "ir":
            chosen = value
    if chosen == "auto":
        return "mlir" if _needs_mlir(words) else "xdsl"
    return "mlir" if chosen == "mlir" else "xdsl"  # what is neither is refused with the flags


def names_of(ir: str) -> PassRegistry:
    """Return the passes that a pipeline on this IR may name.

    Raises:
        UsageError: MLIR's bindings are not installed.
    """
    from passel.errors import AdapterError
    from passel.passes import default_registry

    if ir != "mlir":
        return default_registry()
    from passel.mlir import MLIRAdapter

    try:
        adapter = MLIRAdapter()
        _ = adapter.bindings.ir
    except AdapterError as error:
        raise UsageError(
            f"--ir=mlir needs MLIR's Python bindings: pip install 'passel[mlir]' ({error})"
        ) from None
    return adapter.passes_among(None)


def mlir_hint(words: Sequence[str]) -> str:
    """Return a note about passes of a command line that xDSL lacks and MLIR has; or nothing."""
    if find_spec("mlir") is None:
        return ""
    from passel.mlir.upstream import upstream_passes

    here, there = names_of("xdsl"), upstream_passes()
    names = dict.fromkeys(name for name in _names_in(words) if name in there)
    lacking = [f"'{name}'" for name in names if name not in here]
    if not lacking:
        return ""
    what = f"pass {lacking[0]}" if len(lacking) == 1 else f"passes {', '.join(sorted(lacking))}"
    return f"{PROGRAM}: note: MLIR itself has the {what}: --ir=mlir"


def _needs_mlir(words: Sequence[str]) -> bool:
    if find_spec("mlir") is None:
        return False
    for word in words:
        if not word.startswith("-"):
            try:
                with Path(word).open("rb") as file:
                    if file.read(len(BYTECODE)) == BYTECODE:
                        return True
            except (OSError, ValueError):
                continue
    here, there = names_of("xdsl"), names_of("mlir")
    return any(name not in here and name in there for name in _names_in(words) if name)


def _names_in(words: Sequence[str]) -> list[str]:
    """Return the passes that a command line names, and some flags that are none."""
    from passel.pipeline import PassNode, parse_pipeline

    names: list[str] = []
    for name, value in flags_in(words):
        flag = FLAGS.get(name)
        if flag is None:
            names.append(name)
        elif flag.name == "pass-pipeline":
            try:
                todo = list(parse_pipeline(value, flat_anchor="builtin.module").elements)
            except PipelineError:
                continue  # it is refused when it is read for good
            while todo:
                node = todo.pop()
                if isinstance(node, PassNode):
                    names.append(node.name)
                elif "." in node.anchor or node.anchor == "any":
                    todo += node.elements
    return names
