"""The adapter of `examples/onnx_opt` fulfils the contract: an IR without parents and locations."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from passel import PassManager
from passel.testing import AdapterContract, Node

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parents[2] / "examples" / "onnx_opt"


# onnx-ir takes a second to load, and memory that slows down the forks of other tests.
@cache
def _adapter() -> Any:
    sys.path.append(str(FOLDER))  # it is an example, not an installed package
    return import_module("onnx_adapter").OnnxAdapter()


def _cse() -> Any:
    return import_module("onnx_ir.passes.common").CommonSubexpressionEliminationPass()


class TestOnnx(AdapterContract):
    """Models with a graph and functions, which have nodes."""

    adapter: Any = property(lambda _: _adapter())
    names: ClassVar[Mapping[str, str]] = {
        "module": "onnx.model",
        "graph": "onnx.graph",
        "func": "onnx.function",
        "node": "onnx.Relu",
        "unknown": "vendor.Unknown",
    }
    program: ClassVar[Node] = Node(
        "module",
        None,
        (
            Node("graph", "main", (Node("node"), Node("unknown"))),
            Node("func", "first", (Node("node"), Node("node"))),
            Node("func", "last", (Node("node"), Node("node"))),
        ),
    )
    dialect = "onnx"
    misspelt = ("onnx.Rleu", "onnx.Relu", "onyx")
    has_parents = False
    foreign: Any = property(lambda _: (_cse(),))
    source = (FOLDER / "relu.onnxtxt").read_text()

    def build(self, node: Node, context: Any) -> Any:
        """Make nodes that take each other's results."""
        import onnx_ir as ir

        if node.role == "module":
            graph, *functions = (self.build(inner, context) for inner in node.body)
            return ir.Model(graph, ir_version=8, functions=functions)
        if node.role in ("node", "unknown"):
            domain, _, kind = self.names[node.role].rpartition(".")
            return ir.Node(domain.replace("onnx", ""), kind, [])
        nodes = [self.build(inner, context) for inner in node.body]
        start = ir.val("x", dtype=ir.DataType.FLOAT, shape=["N"])
        value = start
        for each in nodes:
            each.resize_inputs(1)
            each.replace_input_with(0, value)
            (value,) = each.outputs
        value.dtype, value.shape = ir.DataType.FLOAT, ir.Shape(["N"])
        opsets = {"": 18, "vendor": 1}
        graph = ir.Graph([start], [value], nodes=nodes, name=node.symbol, opset_imports=opsets)
        if node.role == "graph":
            return graph
        return ir.Function("my", node.symbol or "", graph=graph, attributes=[])

    def change(self, op: Any) -> None:
        """Add metadata, which every op has."""
        op.metadata_props["changed"] = "yes"

    def break_(self, op: Any) -> None:
        """Let a node take a value that no node makes."""
        import onnx_ir as ir

        op[-1].replace_input_with(0, ir.val("nowhere"))

    def move(self, op: Any, into: Any) -> None:
        """Take a node from where it is, outputs of the graph included."""
        enclosing = op.graph
        enclosing.outputs.clear()
        enclosing.remove(op)
        into.append(op)


def test_its_own_passes_are_wrapped() -> None:
    """onnx-ir's passes run as passel's, by their names, and tell whether something changed."""
    import onnx_ir as ir

    model = ir.from_onnx_text(TestOnnx.source)
    pm = PassManager("onnx.model", adapter=_adapter())
    pm.add(_adapter().wrap_pass(_cse()))
    assert str(pm) == "onnx.model(common-subexpression-elimination{<foreign=...>})"
    assert pm.run(model).changed
    assert not pm.run(model).changed
