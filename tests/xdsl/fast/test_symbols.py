"""Verifiers find symbols in tables, and find what xDSL finds, whatever has changed."""

from __future__ import annotations

import pytest
from loose_ops import context_with
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition, traits_def
from xdsl.traits import SymbolOpInterface

from passel.ir import InvalidIR
from passel.xdsl import XDSLAdapter, parse_source


def _calls(count: int) -> ModuleOp:
    lines = [
        f"func.func private @k{n} () {{ func.call @k{(n + 1) % count}() : () -> () func.return }}"
        for n in range(count)
    ]
    module = parse_source(context_with(), "\n".join(lines), "test.mlir")
    assert isinstance(module, ModuleOp)
    return module


def _verify_each(module: ModuleOp) -> None:
    for function in module.body.ops:
        XDSLAdapter().verify(function, recursive=True)
    XDSLAdapter().verify(module, recursive=False)


def test_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """No op is asked for its symbol more than some times, however many others there are."""
    module = _calls(200)
    asked: list[object] = []
    plain = SymbolOpInterface.get_sym_attr_name

    def get_sym_attr_name(trait: SymbolOpInterface, op: FuncOp) -> StringAttr | None:
        asked.append(op)
        return plain(trait, op)

    monkeypatch.setattr(SymbolOpInterface, "get_sym_attr_name", get_sym_attr_name)
    XDSLAdapter().verify(module, recursive=True)
    _verify_each(module)
    assert len(asked) < 200 * 8


def test_changes() -> None:
    """A callee that is renamed, erased, or comes later is seen at the next verification."""
    module = _calls(3)
    XDSLAdapter().verify(module, recursive=True)
    first, second, third = module.body.ops
    assert isinstance(second, FuncOp)
    second.sym_name = StringAttr("other")
    with pytest.raises(InvalidIR, match="'@k1' could not be found in symbol table"):
        _verify_each(module)
    second.sym_name = StringAttr("k1")
    _verify_each(module)
    third.detach()
    with pytest.raises(InvalidIR, match="'@k2' could not be found"):
        XDSLAdapter().verify(second, recursive=True)
    module.body.block.insert_op_before(third, first)
    _verify_each(module)


@irdl_op_definition
class _Named(IRDLOperation):
    name = "t.named"
    sym_name = attr_def(StringAttr)
    traits = traits_def(type("_Own", (SymbolOpInterface,), {})())


def test_symbols_of_other_dialects() -> None:
    """Where an op has an interface of its own, xDSL looks symbols up."""
    module = _calls(2)
    module.body.block.add_op(_Named.create(attributes={"sym_name": StringAttr("mine")}))
    XDSLAdapter().verify(module, recursive=True)
    first = module.body.block.first_op
    assert isinstance(first, FuncOp)
    first.body.block.insert_op_before(CallOp("nobody", [], []), first.body.block.ops.first)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidIR, match="'@nobody' could not be found"):
        XDSLAdapter().verify(module, recursive=True)
