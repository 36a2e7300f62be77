"""Printing by example is done where xDSL is as assumed, can be switched off, and keeps to bounds."""

from __future__ import annotations

import sys
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from printing_twins import assert_prints_same, eager_examples
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.test import Test
from xdsl.printer import Printer

from passel.ir import PrintFlags
from passel.xdsl.fast import (
    PrintingMemory,
    examples,
    printer_class,
    printing_assumptions,
    slow_paths,
)
from passel.xdsl.fast.example_printer import ExamplePrinter
from passel.xdsl.fast.printing_assumptions import mismatches
from passel.xdsl.printing import make_printer, printed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.ir import Operation

(_TestOp,) = (op for op in Test.operations if op.name == "test.op")


@pytest.fixture(autouse=True)
def _fresh_check() -> Iterable[None]:
    mismatches.cache_clear()
    yield
    mismatches.cache_clear()


def test_xdsl_is_as_assumed() -> None:
    """The installed version of xDSL is one that printing by example knows."""
    assert mismatches() == ()
    assert printer_class() is ExamplePrinter


def test_slow_paths() -> None:
    """Inside of `slow_paths()` xDSL's printer is used, and not after it."""
    with slow_paths():
        assert printer_class() is None
        assert not isinstance(make_printer(PrintFlags(), memory=PrintingMemory()), ExamplePrinter)
    assert isinstance(make_printer(PrintFlags(), memory=PrintingMemory()), ExamplePrinter)


@pytest.mark.parametrize("change", ["a method", "a field", "names", "an import", "an error"])
def test_another_xdsl(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where xDSL is not as assumed, its printer is used and nothing is said."""
    if change == "a method":
        monkeypatch.delattr(Printer, "enter_scope")
    elif change == "a field":
        monkeypatch.setitem(printing_assumptions.STATE, "no_such_field", int)
    elif change == "names":
        monkeypatch.setattr(Printer, "_get_new_valid_name_id", str)  # the printer's own text
    elif change == "an import":
        monkeypatch.setitem(sys.modules, "passel.xdsl.fast.example_printer", None)
    else:
        monkeypatch.setattr(ExamplePrinter, "print_block", lambda: None)
    assert printer_class() is None


def _ops(number: int, times: int = 1) -> list[Operation]:
    return [
        _TestOp.create(attributes={f"a{n}": StringAttr(str(n))})
        for n in range(number)
        for _ in range(times)
    ]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many kinds of ops are printed, no more is remembered than allowed."""
    monkeypatch.setattr(examples, "_MAX_KEYS", 20)
    monkeypatch.setattr(examples, "_MAX_ATTRIBUTES", 30)
    module = ModuleOp(_ops(30, times=3))
    assert assert_prints_same(module)
    memory = PrintingMemory()
    with eager_examples():
        ExamplePrinter(StringIO(), memory=memory).print_op(module)
    (found,) = memory._examples.values()  # pyright: ignore[reportPrivateUsage]
    assert len(found.shapes) <= 20
    assert len(found._kept) <= 30  # pyright: ignore[reportPrivateUsage]


def test_little_is_learned_where_little_repeats() -> None:
    """Of many kinds of ops that come thrice each, only a few are learned from."""
    module = ModuleOp(_ops(500, times=3))
    printer = ExamplePrinter(StringIO())
    printer.print_op(module)
    assert printer.ops_by_example < 150
    with eager_examples():
        printer = ExamplePrinter(StringIO())
        printer.print_op(module)
    assert printer.ops_by_example > 990


def test_ops_that_begin_to_repeat_themselves() -> None:
    """Ops are not looked at for a while where all are new, but again after that."""
    known = [_TestOp.create() for _ in range(1000)]
    module = ModuleOp([*_ops(1000), *known])
    printer = ExamplePrinter(StringIO())
    printer.print_op(module)
    assert 700 < printer.ops_by_example < 1000


def test_small_ops() -> None:
    """For a few ops xDSL's printer is used at once; what was printed before counts too."""
    memory = PrintingMemory()
    small = ModuleOp(_ops(150))
    assert not memory.pays_for(small)
    assert memory.pays_for(small)
    assert PrintingMemory().pays_for(ModuleOp(_ops(250)))
    stream = StringIO()
    Printer(stream).print_op(small)
    assert printed(small, PrintFlags(), PrintingMemory()) == stream.getvalue()
