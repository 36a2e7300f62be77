"""onnx-ir's models as an IR of passel: the adapter, and how files are read and printed.

An op is a model, a graph, a function or a node. Graphs inside of nodes use values from around, so
that passes run on models and functions.
"""

from __future__ import annotations

import re
from sys import intern
from typing import TYPE_CHECKING, Any

import onnx
import onnx_ir as ir
from onnx_passes import OnnxPass, pass_class_for

from passel.diagnostics import UNKNOWN, Diagnostic, Severity, suggest
from passel.frontend import Flag, Frontend, Parsed, UnreadableError
from passel.ir import InvalidIR, IRAdapter, OpKind

if TYPE_CHECKING:
    from collections.abc import Callable

CONTAINERS: dict[Any, str] = {
    ir.Model: "onnx.model",
    ir.Function: "onnx.function",
    ir.Graph: "onnx.graph",
}
ISOLATED = {"onnx.model", "onnx.function"}
SCHEMAS = {f"{s.domain or 'onnx'}.{s.name}" for s in onnx.defs.get_all_schemas()}
_PROBLEM = re.compile(r"line: (\d+) column: (\d+)\)\].*\\n(.*?)['\"]?$")

checker: Any = onnx.checker  # whose types are not complete
printer: Any = onnx.printer
to_proto: Any = ir.to_proto


def name_of(op: Any) -> str:
    """Return the name of an op: `onnx.Add` for a node of the standard operator set."""
    return CONTAINERS.get(op.__class__) or intern(f"{op.domain or 'onnx'}.{op.op_type}")


def _kind(name: str, *, known: bool) -> OpKind:
    return OpKind(name, known, known and name in ISOLATED, _implements_nothing)


def _implements_nothing(_: type) -> bool:
    return False


def serialized(op: Any) -> bytes:
    """Return an op as a protobuf."""
    return to_proto(op).SerializeToString(deterministic=True)


class OnnxAdapter(IRAdapter):
    """The adapter of onnx-ir."""

    name = "onnx_ir"

    @property
    def key_of(self) -> Callable[[Any], str]:
        """The name."""
        return name_of

    def create_context(self) -> object:
        """Return anything: all operators are known."""
        return object()

    def context_of(self, op: Any) -> None:
        """Nothing knows its context."""

    def load_dialects(self, context: object, names: Any) -> None:
        """Check that there are operators of these domains."""
        known = {name.rpartition(".")[0] for name in SCHEMAS}
        for name in names:
            if name not in known:
                raise LookupError(f"there is no dialect '{name}'{suggest(name, known)}")

    def kind_of(self, op: Any) -> OpKind:
        """Return the kind; calls of a model's own functions are unregistered."""
        name = name_of(op)
        return _kind(name, known=name in SCHEMAS or name in CONTAINERS.values())

    def kind_named(self, context: object, name: str) -> OpKind | None:
        """Return the kind of an operator, or of what holds nodes."""
        known = name in SCHEMAS or name in CONTAINERS.values()
        return _kind(name, known=True) if known else None

    def suggest_op(self, context: object, name: str) -> str:
        """Suggest a name."""
        return suggest(name, [*CONTAINERS.values(), *SCHEMAS])

    def children(self, op: Any) -> list[Any]:
        """Return the graph and functions, the nodes, or the graphs inside of a node."""
        if isinstance(op, ir.Model):
            return [op.graph, *op.functions.values()]
        if isinstance(op, ir.Node):
            attributes = (a for a in op.attributes.values() if not a.is_ref())
            graphs = [a for a in attributes if a.type is ir.AttributeType.GRAPH]
            return [attribute.value for attribute in graphs]
        return list(op)

    def parent(self, op: Any) -> None:
        """Graphs do not know what they are in."""

    def symbol_name(self, op: Any) -> str | None:
        """Return the name of a graph or a function."""
        return op.name if isinstance(op, ir.Graph | ir.Function) else None

    def location(self, op: Any) -> Any:
        """Models have no locations."""
        return UNKNOWN

    def verify(self, op: Any, *, recursive: bool) -> None:
        """Look for values that are used before they are made; models are also checked by ONNX."""
        if isinstance(op, ir.Function | ir.Graph):
            known = {*op.inputs, *getattr(op, "initializers", {}).values()}
            for node in op:
                for value in filter(None, node.inputs):
                    maker = value.producer()
                    is_near = maker is not None and maker.graph is node.graph
                    if value not in known and (is_near or isinstance(op, ir.Function)):
                        raise InvalidIR(op, f"uses '{value.name}' before it is made")
                known.update(node.outputs)
        if recursive and not isinstance(op, ir.Node):
            for inner in self.children(op):
                self.verify(inner, recursive=True)
        if isinstance(op, ir.Model):
            try:
                checker.check_model(to_proto(op))
            except checker.ValidationError as error:
                raise InvalidIR(op, str(error).partition("\n")[0]) from None

    def print_op(self, op: Any, flags: Any) -> str:
        """Print as ONNX does."""
        return printer.to_text(to_proto(op)).rstrip("\n")

    def fingerprint(self, op: Any, *, recursive: bool = True) -> object:
        """Return what would be written to a file, or the parts of the op itself."""
        if recursive or isinstance(op, ir.Node):
            return serialized(op)
        own = op if isinstance(op, ir.Graph | ir.Function) else op.graph
        metadata = tuple(sorted(op.metadata_props.items()))
        return (own.name, metadata, *own.inputs, None, *own.outputs, None, *self.children(op))

    def wrap_pass(self, foreign: Any) -> OnnxPass:
        """Return a pass of onnx-ir's as one of passel's."""
        if not isinstance(foreign, ir.passes.PassBase) or not foreign.in_place:
            raise TypeError(f"expected a pass that works in place, got {foreign!r}")
        return pass_class_for(type(foreign))(foreign=foreign)

    def make_frontend(self) -> Frontend:
        """Return what reads and prints files."""
        return OnnxFrontend(self)


class OnnxFrontend(Frontend):
    """ONNX's text, and its protobufs."""

    flags = (Flag("write a protobuf", name="binary"),)

    def is_binary(self, data: bytes, name: str) -> bool:
        """Recognize a protobuf by its first field."""
        return data[:1] == b"\x08"

    def parse(self, part: Any, context: object, warn: Any) -> Parsed:
        """Read a model."""
        if isinstance(part.text, bytes):
            return Parsed(ir.from_proto(onnx.ModelProto.FromString(part.text)))
        try:
            return Parsed(ir.from_onnx_text(part.text))
        except onnx.parser.ParseError as error:
            place, message = part.location(0), str(error)
            if (found := _PROBLEM.search(message)) is not None:
                place = place._replace(line=place.line + int(found[1]) - 1, column=int(found[2]))
                message = found[3]
            raise UnreadableError([Diagnostic(Severity.ERROR, message, place)]) from None

    def emit(self, parsed: Parsed, context: object) -> str | bytes:
        """Write a model."""
        if self.settings.own["binary"]:
            return serialized(parsed.op)
        return super().emit(parsed, context)

    def version(self) -> str:
        """Return the version of onnx-ir."""
        return f"onnx-ir {ir.__version__}"
