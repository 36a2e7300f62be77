"""Both IRs between which pipelines cross, each with its parser, printer and managers."""

from __future__ import annotations

from typing import Any

from passel import PassManager
from passel.ir import PrintFlags
from passel.mlir import MLIRAdapter
from passel.mlir import parse_source as parse_mlir
from passel.xdsl import XDSLAdapter
from passel.xdsl import parse_source as parse_xdsl


class World:
    """One of the two IRs, and how the other one is called in a pipeline.

    Attributes:
        adapter: Answers for the IR, an `IRAdapter`.
        context: A context in which unregistered ops are fine.
        other: The name of the pass that crosses.
    """

    adapter: Any
    context: Any
    other: str

    def read(self, text: str) -> Any:
        """Parse."""
        raise NotImplementedError

    def text(self, op: Any) -> str:
        """Return all of an op, locations included."""
        flags = PrintFlags(generic=True, debuginfo=True, local_scope=True)
        text: str = self.adapter.print_op(op, flags)
        return text

    def manager(self, pipeline: str) -> PassManager:
        """Return a manager for a pipeline, in which `other` is the pass that crosses."""
        text = pipeline.replace("other(", f"{self.other}(")
        return PassManager.parse(text, self.context, adapter=self.adapter)


class MLIRWorld(World):
    """MLIR, from which pipelines cross to xDSL."""

    def __init__(self) -> None:
        self.adapter = MLIRAdapter()
        self.context = self.adapter.create_context()
        self.context.allow_unregistered_dialects = True
        self.other = "xdsl"

    def read(self, text: str) -> Any:
        """Parse."""
        return parse_mlir(self.context, text, "input.mlir")


class XDSLWorld(World):
    """xDSL, from which pipelines cross to MLIR."""

    def __init__(self) -> None:
        self.adapter = XDSLAdapter()
        self.context = self.adapter.create_context()
        self.context.allow_unregistered = True
        self.other = "mlir"

    def read(self, text: str) -> Any:
        """Parse."""
        return parse_xdsl(self.context, text, "input.mlir")
