"""Ops on registers: what is known of them from their types is what xDSL finds out for each."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from rewriting_twins import compare_rewriting
from xdsl.backend.register_type import RegisterAllocatedMemoryEffect
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.riscv import RISCV
from xdsl.dialects.test import Test
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.traits import MemoryEffect, MemoryReadEffect, MemoryWriteEffect, RecursiveMemoryEffect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.traits import EffectInstance

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class _OwnEffect(RegisterAllocatedMemoryEffect):
    """None at all."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:  # noqa: ARG003 - an override
        return set()


def _op(op_name: str, *traits: MemoryEffect) -> type[Operation]:
    fields = {
        "name": op_name,
        "traits": traits_def(*traits),
        "ins": var_operand_def(),
        "outs": var_result_def(),
        "inside": var_region_def(),
    }
    return irdl_op_definition(type("_Op", (IRDLOperation,), fields))


_OPS = (
    _op("t.plain", RegisterAllocatedMemoryEffect()),
    _op("t.own", _OwnEffect()),
    _op("t.read", MemoryReadEffect(), RegisterAllocatedMemoryEffect()),
    _op("t.write", RegisterAllocatedMemoryEffect(), MemoryWriteEffect()),
    _op("t.nested", RecursiveMemoryEffect()),
    _op("t.both", RecursiveMemoryEffect(), RegisterAllocatedMemoryEffect()),
)
_TYPES = ("!riscv.reg", "!riscv.reg<a0>", "!riscv.freg<fa0>", "!riscv.reg<j_1>", "i32")


def _context() -> Context:
    context = Context(allow_unregistered=True)
    for dialect in (Builtin, Test, RISCV, Dialect("t", list(_OPS), [])):
        context.load_dialect(dialect)
    return context


def _lines(name: str) -> Sequence[str]:
    """Return ops with operands and results of all types, some of them in others, all twice."""
    sources = [f'%v{n} = "test.op"() : () -> {type_}' for n, type_ in enumerate(_TYPES)]
    numbered = list(enumerate(_TYPES))
    ops = [
        f'"{name}"(%v{n}) : ({operand}) -> {result}'
        for (n, operand), result in product(numbered, _TYPES)
    ]
    ops += [f'"{name}"(%v{n}) : ({type_}) -> ()' for n, type_ in numbered]
    ops += [f'"{name}"() : () -> {type_}' for type_ in _TYPES]
    nested = [
        f'"{each}"() ({{ {op} }}) : () -> ()' for each in ("t.nested", "t.both") for op in ops
    ]
    return [*sources, *ops, *nested, *ops]


@pytest.mark.parametrize("pipeline", ["canonicalize", "cse", "dce"])
@pytest.mark.parametrize("name", ["t.plain", "t.own", "t.read", "t.write", "t.both"])
def test_effects_on_registers(name: str, pipeline: str) -> None:
    """Ops that write to registers stay, and separate those that read; others go if unused."""
    lines = "\n".join(_lines(name))
    names = (name, "t.plain")
    used = [f'%u{n} = "{names[n % 2]}"() : () -> {_TYPES[n % 5]}' for n in range(20)]
    uses = [f'"test.op"(%u{n}) : ({_TYPES[n % 5]}) -> ()' for n in range(20)]
    text = "\n".join(["builtin.module {", lines, *used, *uses, "}"])
    assert compare_rewriting(text, pipeline, _context) == (name != "t.write" or pipeline == "cse")
