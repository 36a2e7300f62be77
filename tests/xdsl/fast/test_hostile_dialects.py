"""Whatever a dialect is asked through, it is asked as often as by xDSL, and in the same order.

Each row of the table is a way to ask an op's class or its dialect. What answers writes down that it
was asked, and changes its mind from one time to the next: nothing of it may be kept.
"""

from __future__ import annotations

from io import StringIO
from operator import call
from typing import TYPE_CHECKING, Any

import pytest
from layouts import layout
from loose_ops import LooseOp, context_with
from rewriting_twins import rewritten
from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntAttr, IntegerAttr, i32
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, Operation, OpTraits, ParametrizedAttribute
from xdsl.irdl import (
    AttrConstraint,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import CustomDirective, irdl_custom_directive
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, HasFolder, MemoryEffect, OpTrait, Pure
from xdsl.utils.exceptions import VerifyException

from passel.ir import InvalidIR
from passel.xdsl import XDSLAdapter, parse_source
from passel.xdsl.fast import printer_class, slow_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

_Ask = Any
"""Writes down who is asked, and returns how many times that was the case."""

_LINE = '%{} = "t.op"(%a) : (i32) -> i32'


def _verifier(ask: _Ask) -> dict[str, Any]:
    def verify_(self: Operation) -> None:
        if ask("verifier") == 25:
            raise VerifyException("enough")

    return {"verify_": verify_}


def _constraint(ask: _Ask) -> dict[str, Any]:
    class Own(AttrConstraint):
        def verify(self, attr: Attribute, constraint_context: Any) -> None:
            if ask("constraint") == 25:
                raise VerifyException("enough")

        def mapping_type_vars(self, type_var_mapping: Any) -> Any:
            return self

    return {"value": opt_prop_def(Own())}


def _trait(ask: _Ask) -> dict[str, Any]:
    class Own(OpTrait):
        def verify(self, op: Operation) -> None:
            if ask("trait") == 25:
                raise VerifyException("enough")

    return {"traits": traits_def(Own(), Pure())}


def _effects(ask: _Ask) -> dict[str, Any]:
    def get_effects(*_: object) -> Any:
        return None if ask("effects") % 3 else set[Any]()

    forms: Any = (classmethod(get_effects), get_effects, staticmethod(get_effects))
    own = [type("Own", (MemoryEffect,), {"get_effects": each}) for each in forms]
    return {"traits": traits_def(*map(call, own))}


class _Stamp(RewritePattern):
    def __init__(self, ask: _Ask) -> None:
        self.ask, self.left = ask, 1

    def match_and_rewrite(self, op: Operation, rewriter: Any, /) -> None:
        if self.left and "seen" not in op.attributes and self.ask("pattern") % 2:
            self.left -= 1
            op.attributes["seen"] = i32
            rewriter.notify_op_modified(op)


def _patterns_of_trait(ask: _Ask) -> dict[str, Any]:
    class Own(HasCanonicalizationPatternsTrait):
        @classmethod
        def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
            return (_Stamp(ask),) * (ask("patterns") % 3)

    return {"traits": traits_def(Own())}


def _patterns_of_class(ask: _Ask) -> dict[str, Any]:
    def get_canonicalization_patterns(_: Any) -> tuple[RewritePattern, ...]:
        return (_Stamp(ask),) * (ask("patterns") % 3)

    own = classmethod(get_canonicalization_patterns)
    return {"get_canonicalization_patterns": own, "": HasCanonicalizationPatternsInterface}


def _folder(ask: _Ask) -> dict[str, Any]:
    class Own(HasFolder):
        @classmethod
        def fold(cls, op: Operation) -> Any:
            return None if ask("folder") % 3 else (op.operands[0],)

    return {"traits": traits_def(Own(), Pure())}


def _folder_of_class(ask: _Ask) -> dict[str, Any]:
    def fold(self: Operation) -> Any:
        return None if ask("folder") % 3 else (self.operands[0],)

    return {"fold": fold, "": HasFolderInterface, "traits": traits_def(Pure())}


def _constants(ask: _Ask) -> dict[str, Any]:
    class Own(ConstantMaterializationInterface):
        def materialize_constant(self, value: Any, type: Attribute) -> Operation | None:  # noqa: A002 - as xDSL names it
            return None if ask("constants") % 3 else ConstantOp(value, type)

    def fold(self: Operation) -> Any:
        return (IntegerAttr(ask("folder"), i32),)

    of_class = {"fold": fold, "": HasFolderInterface, "traits": traits_def(Pure())}
    return {**of_class, "interface": Own()}


def _printer(ask: _Ask) -> dict[str, Any]:
    def print_(self: Operation, printer: Any) -> None:
        printer.print_string(f" {ask('printer')}")

    return {"print": print_}


def _parser(ask: _Ask) -> dict[str, Any]:
    def parse(cls: Any, parser: Any) -> Operation:
        seen = {"seen": IntAttr(ask("parser"))}
        return cls.create(operands=[parser.parse_operand()], result_types=[i32], attributes=seen)

    return {"parse": classmethod(parse), "line": "%{} = t.op %a"}


def _attribute(ask: _Ask) -> dict[str, Any]:
    @irdl_attr_definition
    class Own(ParametrizedAttribute):
        name = "t.own"
        seen: IntAttr

        @classmethod
        def parse_parameters(cls, parser: Any) -> Sequence[Attribute]:  # noqa: ARG003 - an override
            return (IntAttr(ask("parser")),)

        def print_parameters(self, printer: Any) -> None:
            printer.print_string(f"<{ask('printer')}>")

    return {"attributes": [Own], "line": '%{} = "t.op"(%a) {{a = #t.own}} : (i32) -> i32'}


def _directive(ask: _Ask) -> dict[str, Any]:
    @irdl_custom_directive
    class Own(CustomDirective):
        def parse(self, parser: Any, state: Any) -> None:
            state.attributes["seen"] = IntAttr(ask("parser"))

        def print(self, printer: Any, state: Any, op: Operation) -> None:
            state.print_whitespace(printer)
            printer.print_string(f"// {ask('printer')}\n")

    parts = {"base": IRDLOperation, "ins": operand_def(), "outs": result_def(i32)}
    text = "$ins `:` type($ins) custom<Own>() attr-dict"
    own = {"assembly_format": text, "custom_directives": (Own,)}
    return {**parts, **own, "line": "%{} = t.op %a : i32"}


def _computed(ask: _Ask) -> dict[str, Any]:
    class Own:
        def __get__(self, op: object, op_class: object = None) -> OpTraits:
            ask("")  # how often may differ, as traits are no method
            return OpTraits(lambda: (Pure(),))

    return {"later": Own()}


_WAYS: list[Callable[[_Ask], dict[str, Any]]] = [
    *(_verifier, _constraint, _trait, _effects, _patterns_of_trait, _patterns_of_class, _folder),
    *(_folder_of_class, _constants, _printer, _parser, _attribute, _directive, _computed),
]


def _run(way: Callable[[_Ask], dict[str, Any]]) -> tuple[object, ...]:
    """Return what is left of a module after parsing, verifying, rewriting and printing it."""
    log: list[str] = []

    def ask(who: str) -> int:
        log.append(who)
        return log.count(who)

    fields = way(ask)
    bases = tuple(fields.pop(key) for key in [*fields] if not key)
    line, interface = fields.pop("line", _LINE), fields.pop("interface", None)
    traits, attributes = fields.pop("later", None), fields.pop("attributes", ())
    bases = (fields.pop("base", LooseOp), *bases)
    op_class: Any = irdl_op_definition(type("HostileOp", bases, {"name": "t.op", **fields}))
    if traits is not None:
        op_class.traits = traits
    context = context_with(
        op_class, attributes=attributes, interfaces=[interface] if interface else []
    )
    lines = "\n".join(line.format(n) for n in range(10))
    text = f'builtin.module {{\n%a = "test.op"() : () -> i32\n{lines}\n"test.op"(%1, %4) : (i32, i32) -> ()\n}}'
    op, adapter, said = parse_source(context, text, "test.mlir"), XDSLAdapter(), ""
    for each in op.walk():
        if each.name == "t.op" and "value" not in each.properties and way is _constraint:
            each.properties["value"] = i32
    for _ in range(3):
        try:
            adapter.verify(op, recursive=True)
        except InvalidIR as error:
            said += str(error)
    done = [rewritten(op, pipeline, context) for pipeline in ("canonicalize", "cse", "dce")]
    printer_class()(stream := StringIO()).print_op(op)
    return stream.getvalue(), layout(op), said, done, [who for who in log if who]


@pytest.mark.parametrize("way", _WAYS, ids=lambda way: way.__name__)
def test_nothing_that_a_dialect_says_is_kept(way: Callable[[_Ask], dict[str, Any]]) -> None:
    """With fast paths and without, the same is asked in the same order, and the same is left."""
    fast = _run(way)
    with slow_paths():
        assert fast == _run(way)
    assert fast[-1] or way is _computed
