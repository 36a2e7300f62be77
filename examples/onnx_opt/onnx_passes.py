"""Passes on onnx-ir's models: its own, by name, and one written for passel."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import onnx_ir as ir
from onnx_ir.passes import common

from passel import Pass, PassContext, PassFailure, Statistic, option

if TYPE_CHECKING:
    from passel import PassRegistry

NAMES = {
    "cse": common.CommonSubexpressionEliminationPass,
    "dce": common.RemoveUnusedNodesPass,
    "inline": common.InlinePass,
    "lift-constants": common.LiftConstantsToInitializersPass,
    "remove-identities": common.IdentityEliminationPass,
    "symbol-dce": common.RemoveUnusedFunctionsPass,
}


class OnnxPass(Pass[ir.Model]):
    """Base class of passes that stand for onnx-ir's own."""

    ir = "onnx_ir"
    anchor = "onnx.model"
    changed = Statistic("Models changed")
    foreign: Any

    def can_schedule_on(self, kind: Any) -> bool:
        """Accept models."""
        return kind.name == self.anchor

    def run(self, op: ir.Model, ctx: PassContext) -> None:
        """Call the pass, and tell what it says of changes."""
        try:
            result = self.foreign(op)
        except ir.passes.PassError as error:
            raise PassFailure(str(error)) from error
        if result.modified:
            ctx.count(self.changed)
        else:
            ctx.preserve_all()


@cache
def pass_class_for(foreign: type) -> type[OnnxPass]:
    """Return the class of the passes that stand for those of a class of onnx-ir's."""
    title = foreign.__name__.removesuffix("Pass")
    name = re.sub(r"(?<!^)(?=[A-Z])", "-", title).lower()
    return type(title, (OnnxPass,), {"name": name, "__doc__": foreign.__doc__})


class LimitNodes(Pass):
    """Refuse what has more nodes than a target takes."""

    name = "limit-nodes"
    ir = "onnx_ir"
    limit: int = option(default=1000, help="How many nodes there may be.")
    seen = Statistic("Nodes seen")

    def run(self, op: ir.Model | ir.Function, ctx: PassContext) -> None:
        """Count the nodes."""
        nodes = op.graph if isinstance(op, ir.Model) else op
        ctx.count(self.seen, len(nodes))
        if len(nodes) > self.limit:
            raise PassFailure(f"{len(nodes)} nodes are more than {self.limit}")
        ctx.preserve_all()


def register(registry: PassRegistry) -> None:
    """Add all of them."""
    for name, foreign in NAMES.items():
        registry.register(name, foreign, ir="onnx_ir")  # called when it is needed
    registry.register(LimitNodes)
