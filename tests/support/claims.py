"""Whether what passes claim to preserve is true: analyses computed again, IR compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation

from passel import Pass, PassContext, PassFailedError, PassInstrumentation, PassManager, xdsl
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from xdsl.context import Context

    from passel import Diagnostic

ANALYSES: dict[str, Any] = {
    name: analysis
    for name in xdsl.__all__
    if (analysis := getattr(xdsl, name)).__module__.startswith("passel.xdsl.analyses.")
}
"""The analyses that passel exports, by name."""


def ask_for_all(name: str, result: Any, op: Operation) -> None:
    """Ask an analysis for all that it computes on demand."""
    for inner in op.walk():
        match name:
            case "SymbolTables":
                result.lookup(inner, SymbolRefAttr("nothing"))
            case "DominanceInfo" | "PostDominanceInfo":
                for region in inner.regions:
                    result.tree(region)
            case _:
                pass


class Analyse(Pass[Operation]):
    """Compute every analysis, so that those that later passes preserve are there to be checked."""

    name = "analyse"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Compute them."""
        for name, analysis in ANALYSES.items():
            ask_for_all(name, ctx.analysis(analysis), op)
        ctx.preserve_all()


class Changes(PassInstrumentation):
    """Whether a pass has changed its op."""

    finds_changes = True
    found = False

    def after_pass(self, step: object, op: Operation) -> None:
        """Add what one pass has done."""
        self.found |= self.ended.changed


def untrue_claim(module: Operation, context: Context, *passes: str | Pass[Any]) -> str:
    """Run passes on each module and function; return the first claim that is not true.

    Args:
        module: A module, which is changed.
        context: Its context.
        passes: The passes; each is run on the module, then on each function of it.

    Returns:
        A message; the empty string if all claims are true, or a pass does not take the module.
    """
    for each in passes:
        for anchor in ("builtin.module", "func.func"):
            before = snapshot(module)
            manager = PassManager("builtin.module", context, adapter=XDSLAdapter())
            target = manager if anchor == "builtin.module" else manager.nest(anchor)
            target.add(Analyse(), each)
            manager.enable_analysis_verifier()
            manager.enable_verifier(False)
            manager.add_instrumentation(changes := Changes())
            try:
                manager.run(module, on_diagnostic=_ignore)
            except PassFailedError as error:
                if "claims to preserve" in str(error):
                    return str(error)
                return ""
            if not changes.found and snapshot(module) != before:
                return f"{each} on {anchor} says that it changed nothing"
    return ""


def snapshot(module: Operation) -> list[tuple[object, ...]]:
    """Return all that a module consists of: ops, blocks and values as such, attributes by value."""
    return [
        (
            op,
            *op.operands,
            *op.successors,
            op.location,
            sorted(op.properties.items()),
            sorted(op.attributes.items()),
            [(result, result.type) for result in op.results],
            [
                (block, [(argument, argument.type, argument.location) for argument in block.args])
                for region in op.regions
                for block in region.blocks
            ],
        )
        for op in module.walk()
    ]


def _ignore(_: Diagnostic) -> None:
    """What passes say is not looked at."""
