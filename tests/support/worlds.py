"""Both IRs between which pipelines cross, each with its parser, printer and managers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel import PassManager
from passel.ir import PrintFlags

if TYPE_CHECKING:
    from collections.abc import Callable


class World:
    """One of the two IRs, and how the other one is called in a pipeline.

    Attributes:
        adapter: Answers for the IR, an `IRAdapter`.
        context: A context in which unregistered ops are fine.
        other: The name of the pass that crosses.
    """

    def __init__(self, adapter: Any, parse: Callable[..., Any], unregistered: str) -> None:
        self.adapter = adapter
        self.context: Any = adapter.create_context()
        setattr(self.context, unregistered, True)
        self.other = "mlir" if adapter.name == "xdsl" else "xdsl"
        self._parse = parse

    def read(self, text: str) -> Any:
        """Parse."""
        return self._parse(self.context, text, "input.mlir")

    def text(self, op: Any) -> str:
        """Return all of an op, locations included."""
        flags = PrintFlags(generic=True, debuginfo=True, local_scope=True)
        text: str = self.adapter.print_op(op, flags)
        return text

    def manager(self, pipeline: str) -> PassManager:
        """Return a manager for a pipeline, in which `other` is the pass that crosses."""
        text = pipeline.replace("other(", f"{self.other}(")
        return PassManager.parse(text, self.context, adapter=self.adapter)
