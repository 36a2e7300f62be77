"""The adapters under test, each with what a test needs to build, change and break its IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from mlir.dialects.func import FuncOp
from mlir.ir import Type, TypeAttr, UnitAttr
from xdsl.dialects.builtin import FunctionType, StringAttr, i32
from xdsl.traits import CallableOpInterface
from xdsl.transforms.canonicalize import CanonicalizePass

from passel.mlir import MLIRAdapter
from passel.mlir import parse_source as mlir_parse_source
from passel.testing import AdapterContract, Callable_, Node, ToyAdapter, ToyOp
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passel.ir import IRAdapter


Subject = AdapterContract
"""An adapter with what a test needs of its IR."""


class ToySubject(AdapterContract):
    """The toy IR of `passel.testing`."""

    adapter: IRAdapter = ToyAdapter()
    names: ClassVar[Mapping[str, str]] = {
        role: f"toy.{role}" for role in ("module", "func", "region", "unknown", "other")
    }
    interface = Callable_
    dialect = "extra"
    misspelt = ("toy.fun", "toy.func", "exta")

    def build(self, node: Node, context: Any) -> ToyOp:
        """Return the op for a node, with all that is inside."""
        name = "".join(list(self.names[node.role]))  # an object of its own, as parsers make them
        op = ToyOp(name, node.symbol)
        for inner in node.body:
            op.add(self.build(inner, context))
        return op

    def change(self, op: ToyOp) -> None:
        """Change an op of any role, leaving it valid."""
        op.value += 1

    def break_(self, op: ToyOp) -> None:
        """Make an op of the role `func` invalid."""
        op.value = -1

    def move(self, op: ToyOp, into: ToyOp) -> None:
        """Move an op to the end of what is inside of another."""
        assert op.parent is not None
        op.parent.body.remove(op)
        into.add(op)


class XDSLSubject(AdapterContract):
    """The ops of xDSL, built from generic text."""

    adapter: IRAdapter = XDSLAdapter()
    names: ClassVar[Mapping[str, str]] = {
        "module": "builtin.module",
        "func": "func.func",
        "region": "test.op",
        "unknown": "vendor.unknown",
        "other": "vendor.other",
        "terminator": "test.termop",
    }
    interface: type | None = CallableOpInterface
    dialect = "cf"
    misspelt = ("func.fucn", "func.func", "arit")
    has_locations = True
    foreign = (CanonicalizePass(),)

    def build(self, node: Node, context: Any) -> Any:
        """Return the op for a node, with all that is inside."""
        context.allow_unregistered = True
        return parse_source(context, self._text(node), "built.mlir", implicit_module=False)

    def _text(self, node: Node) -> str:
        body = "\n".join(map(self._text, node.body))
        properties = f'sym_name = "{node.symbol}"' if node.symbol else ""
        if node.role == "func":
            properties += ", function_type = () -> ()"
            body += '\n"func.return"() : () -> ()'
        attributes = "{" + properties + "}"
        if node.role in ("module", "func"):
            return f'"{self.names[node.role]}"() <{attributes}> ({{\n{body}\n}}) : () -> ()'
        if node.role == "region":
            body += f'\n"{self.names["terminator"]}"() : () -> ()'
        return f'"{self.names[node.role]}"() ({{\n{body}\n}}) {attributes} : () -> ()'

    def change(self, op: Any) -> None:
        """Change an op of any role, leaving it valid."""
        op.attributes["demo.changed"] = StringAttr("yes")

    def break_(self, op: Any) -> None:
        """Make an op of the role `func` invalid."""
        op.properties["function_type"] = FunctionType.from_lists([i32], [])

    def move(self, op: Any, into: Any) -> None:
        """Move an op to the end of what is inside of another."""
        op.detach()
        into.regions[0].blocks[0].add_op(op)


def _in_tables(node: Node) -> Node:
    """Put functions in regions into modules: in MLIR symbols must be in symbol tables."""
    body = tuple(map(_in_tables, node.body))
    if node.role == "region":
        body = tuple(
            Node("module", None, (inner,)) if inner.role == "func" else inner for inner in body
        )
    return node._replace(body=body)


class MLIRSubject(XDSLSubject):
    """The ops of MLIR's bindings, built from the same generic text."""

    adapter: IRAdapter = MLIRAdapter()
    names: ClassVar[Mapping[str, str]] = {
        **XDSLSubject.names,
        "region": "scf.execute_region",
        "terminator": "scf.yield",
    }
    program = _in_tables(AdapterContract.program)
    interface: type | None = FuncOp
    foreign = ()

    def build(self, node: Node, context: Any) -> Any:
        """Return the op for a node, with all that is inside."""
        context.allow_unregistered_dialects = True
        text = self._text(_in_tables(node))
        return mlir_parse_source(context, text, "built.mlir", implicit_module=False)

    def change(self, op: Any) -> None:
        """Change an op of any role, leaving it valid."""
        operation = op.operation
        operation.attributes["demo.changed"] = UnitAttr.get(operation.context)

    def break_(self, op: Any) -> None:
        """Make an op of the role `func` invalid."""
        broken = Type.parse("(i32) -> ()", op.operation.context)
        op.operation.attributes["function_type"] = TypeAttr.get(
            broken, context=op.operation.context
        )

    def move(self, op: Any, into: Any) -> None:
        """Move an op to the end of what is inside of another."""
        *_, last = into.operation.regions[0].blocks[0].operations
        op.operation.move_after(last)
