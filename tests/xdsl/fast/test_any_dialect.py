"""Ops of every dialect that is installed are read, printed, verified and rewritten both ways."""

from __future__ import annotations

from inspect import isabstract
from io import StringIO
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from rewriting_twins import compare_rewriting
from twins import assert_same
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.dialects.test import TestOp as SomeOp
from xdsl.ir import Block, Operation, ParametrizedAttribute, Region, TypeAttribute
from xdsl.irdl import IRDLOperation, OptionalDef, VariadicDef
from xdsl_inputs import STEP, xdsl_context

from passel.xdsl import XDSLAdapter
from passel.xdsl.fast import printer_class, slow_paths
from passel.xdsl.registration import installed_universe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, Dialect, SSAValue

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


_ATTRIBUTES: Sequence[Attribute] = (
    *(i1, i32, i64, f64, TensorType(f64, [2]), UnitAttr(), StringAttr("s"), SymbolRefAttr("f")),
    *(IntegerAttr(1, i64), IntegerAttr(2, i32), IntegerAttr(0, i1)),
    *(ArrayAttr([]), ArrayAttr([i32])),
)


def _is_optional(definition: Any) -> bool:
    return isinstance(definition, VariadicDef | OptionalDef)


def _attributes_of(dialect: Dialect, random: Random) -> list[Attribute]:
    """Return attributes of a dialect, as far as chance makes valid ones, and some of xDSL's."""
    found = [*_ATTRIBUTES]
    for kind in [*dialect.attributes] * 8:
        if issubclass(kind, ParametrizedAttribute):
            try:
                count = len(kind.get_irdl_definition().parameters)
                found.append(kind.new(random.choices(found, k=count)))
            except Exception:  # noqa: BLE001, S112 - most are not valid
                continue
    return found


def _module_of(dialect: Dialect, op_class: type[Operation], random: Random) -> ModuleOp | None:
    """Return a module with ops of a class that differ in their operands; None if it has none."""
    if not issubclass(op_class, IRDLOperation) or isabstract(op_class):
        return None
    known: list[Attribute] = _attributes_of(dialect, random)
    definition: Any = op_class.get_irdl_definition()

    favourite = random.choice([each for each in known if isinstance(each, TypeAttribute)])

    def fitting(constraint: Any, *, is_type: bool) -> Attribute:
        try:
            bases: Any = tuple(constraint.get_bases() or (object,))
        except Exception:  # noqa: BLE001 - constraints of others
            bases = (object,)
        fit = [each for each in known if isinstance(each, bases)] or known
        types = [each for each in fit if isinstance(each, TypeAttribute)] if is_type else fit
        # Many ops want several types to be the same.
        return favourite if favourite in types else random.choice(types or [i32])

    def types(defs: Any) -> list[Attribute]:
        return [
            fitting(each.constr, is_type=True)
            for _, each in defs
            for _ in range(random.randrange(2) if _is_optional(each) else 1)
        ]

    operands, results = types(definition.operands), types(definition.results)
    named = [
        {
            name: fitting(each.constr, is_type=False)
            for name, each in defs.items()
            if not _is_optional(each) or random.random() < 0.5
        }
        for defs in (definition.properties, definition.attributes)
    ]
    ops: list[Operation] = []
    for _ in range(6):
        ops.append(source := SomeOp(result_types=operands * 2))
        values: list[SSAValue] = [*source.results]
        kept = values[: len(operands)] if random.random() < 0.5 else values[len(operands) :]
        regions = [Region(Block() if random.random() < 0.5 else []) for _ in definition.regions]
        parts: Any = dict(zip(("properties", "attributes"), map(dict, named), strict=True))
        ops.append(op_class.create(operands=kept, result_types=results, regions=regions, **parts))
    return ModuleOp(ops)


def _said(op: Operation) -> list[str]:
    """Return what is wrong with each op inside, and the text of both forms, by this way."""
    said = [""]
    for each in op.walk():
        try:
            each.verify_()
        except Exception as error:  # noqa: BLE001 - verifiers raise what they like
            said.append(f"{type(error).__name__}: {error}")
    for generic in (True, False):
        stream = StringIO()
        try:
            printer_class()(stream, print_generic_format=generic).print_op(op)
        except Exception as error:  # noqa: BLE001 - so do printers
            stream = StringIO(repr(error))  # how much was written before is left open
        said.append(stream.getvalue())
    return said


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.sweep) for n in (1, 2, 3))]
)
def test_every_op_is_the_same_both_ways(seed: int) -> None:
    """Whatever ops of a dialect are like: the text, errors of verifiers, and what passes make of it."""
    XDSLAdapter()
    random, step = Random(seed), STEP if seed else 80  # noqa: S311 - repeatable
    names = sorted(installed_universe().all_dialects)
    for name in names:
        dialect = installed_universe().all_dialects[name]()
        for op_class in [*dialect.operations][seed % step :: step]:
            module = _module_of(dialect, op_class, random)
            if module is None:
                continue
            said = _said(module)
            with slow_paths():
                assert said == _said(module), op_class.name
            generic = said[-2]
            for text in (generic, said[-1]):
                assert_same(text, xdsl_context)
            compare_rewriting(generic, "canonicalize,dce,cse", xdsl_context)
