"""The passes that a command line may name: all of the tool's questions to registries."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from passel.errors import PipelineError
from passel.tool.flags import flags_in
from passel.tool.settings import flags_by_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir import IRAdapter
    from passel.passes import PassRegistry


def names_of(
    adapter: IRAdapter | None = None, registry: PassRegistry | None = None
) -> PassRegistry:
    """Return the passes that a pipeline on an IR may name.

    Args:
        adapter: The IR's adapter; None for xDSL, which need not be loaded for it.
        registry: The passes that a tool is made for; by default all installed ones.
    """
    from passel.passes import default_registry
    from passel.passes.resolution import names_on

    if adapter is not None:
        return names_on(adapter, registry)
    return (registry or default_registry()).for_ir("xdsl")


def all_names(registry: PassRegistry) -> list[str]:
    """Return the names of all passes and pipelines."""
    return [info.name for info in (*registry.passes(), *registry.pipelines())]


def mlir_hint(words: Sequence[str]) -> str:
    """Return what to say of passes of a command line that xDSL lacks and MLIR has; or nothing."""
    if find_spec("mlir") is None:
        return ""
    from passel.mlir.upstream import upstream_passes

    here, there = names_of(), upstream_passes()
    names = dict.fromkeys(name for name in names_in(words) if name in there)
    lacking = [f"'{name}'" for name in names if name not in here]
    if not lacking:
        return ""
    what = f"pass {lacking[0]}" if len(lacking) == 1 else f"passes {', '.join(sorted(lacking))}"
    return f"MLIR itself has the {what}: --ir=mlir"


def names_in(words: Sequence[str]) -> list[str]:
    """Return the passes that a command line names, and some flags that are none."""
    from passel.pipeline import PassNode, parse_pipeline

    names: list[str] = []
    flags = flags_by_name()
    for name, value in flags_in(words):
        flag = flags.get(name)
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
