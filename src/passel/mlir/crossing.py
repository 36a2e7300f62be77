"""MLIR as one side of a crossing: ops from generic text, and back into the op."""

from __future__ import annotations

from typing import Any

from passel.errors import PassFailure
from passel.ir import PrintFlags
from passel.mlir.adapter import MLIRAdapter
from passel.mlir.bindings import bindings_of
from passel.mlir.diagnostics import ParseError
from passel.mlir.parsing import parse_source


class MLIRSide:
    """MLIR, through its bindings.

    Args:
        context: Where ops are read into; by default a new context of the bindings `mlir`, in
            which what MLIR does not know is unregistered.
    """

    title = "MLIR"

    def __init__(self, context: Any = None) -> None:
        root = "mlir" if context is None else bindings_of(context).root
        self.adapter = MLIRAdapter(root)
        self.context: Any = context
        if context is None:
            self.context = self.adapter.create_context()
            self.context.allow_unregistered_dialects = True

    def write(self, op: Any) -> str:
        """Return an op as generic text with locations."""
        flags = PrintFlags(generic=True, debuginfo=True, local_scope=True)
        return self.adapter.print_op(op, flags)

    def read(self, text: str) -> Any:
        """Return the op that a text stands for.

        Raises:
            PassFailure: MLIR cannot read it, or finds it invalid.
        """
        try:
            return parse_source(self.context, text, "<crossing>", implicit_module=False)
        except ParseError as error:
            raise PassFailure(f"MLIR cannot read it: {error.diagnostics[0].message}") from error

    def replace(self, op: Any, new: Any) -> None:
        """Give an op the attributes and regions of another one.

        The old blocks die with a module that nobody keeps: the bindings cannot erase a block.
        """
        ir = self.adapter.bindings.ir
        old, fresh = op.operation, new.operation
        bin_ = ir.Module.create(ir.Location.unknown(self.context))
        for region, source in zip(old.regions, fresh.regions, strict=True):
            for block in list(region):
                block.append_to(bin_.operation.regions[0])
            for block in list(source):
                block.append_to(region)
        for name in list(old.attributes):
            if name not in fresh.attributes:
                del old.attributes[name]
        for name in list(fresh.attributes):
            old.attributes[name] = fresh.attributes[name]
