"""`PassManager.run(op, cache=...)`: results of whole ops are kept, and cannot be told from others."""

from __future__ import annotations

import gc
import importlib
import logging
import sys
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, ModuleOp, TensorType, f64
from xdsl.irdl import IRDLOperation, irdl_op_definition

from passel import PassManager
from passel.instruments import Timing
from passel.ir import KeepsOps, PrintFlags, ability_of, adapter_for
from passel.store import LocalStore, Store, code
from passel.xdsl.parsing import parse_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    from passel.diagnostics import Diagnostic

PASSES = """
from passel import Pass, PassFailure, Statistic
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i32
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition

RUNS = []

@irdl_attr_definition
class Unprintable(ParametrizedAttribute):
    name = "foreign.unprintable"

    def print_parameters(self, printer):
        raise RuntimeError("no text")

class Search(Pass):
    name = "search"
    can_fork = True
    change: bool = True
    rename: bool = False
    fail: bool = False
    odd: bool = False
    steps = Statistic("Steps of the search")

    def run(self, op, ctx):
        RUNS.append(op)
        best = max((n * 7919) % 10007 for n in range(500_000))
        ctx.count(self.steps, 3)
        ctx.emit_warning("hard", op)
        if self.fail:
            raise PassFailure("not found")
        if self.odd:
            op.attributes["odd"] = Unprintable()
        if self.rename:
            for value in (*op.body.block.args, *(v for each in op.walk() for v in each.results)):
                value.name_hint = "renamed"
        if self.change:
            op.attributes["best"] = IntegerAttr(best, i32)
            for each in op.walk():
                if isinstance(each, ConstantOp):
                    each.attributes["seen"] = StringAttr("yes")
"""

TEXT = """
module attributes {a = 1.100000023841858 : f64} {
  func.func @f(%named: i32) -> i32 {
    %one = arith.constant 1 : i32
    %0 = arith.addi %named, %one : i32 loc("elsewhere":3:4)
    %t = arith.constant dense<[1.1234567890123, 2.0]> : tensor<2xf64>
    func.return %0 : i32
  }
}
"""

EXACT = PrintFlags(generic=True, debuginfo=True)


@irdl_op_definition
class ForeignOp(IRDLOperation):
    """An op whose code no key holds."""

    name = "foreign.op"


@pytest.fixture
def passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module with passes, whose code a key can hold."""
    (tmp_path / "searching.py").write_text(PASSES)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(code, "LOADED", float("inf"))  # it is written by this process
    monkeypatch.delitem(sys.modules, "searching", raising=False)
    return importlib.import_module("searching")


def _context() -> Context:
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return context


def _module(text: str = TEXT) -> ModuleOp:
    module = parse_source(_context(), text, "in.mlir")
    assert isinstance(module, ModuleOp)
    return module


def _manager(*passes: Any) -> PassManager:
    manager = PassManager("builtin.module", _context())
    for each in passes:
        manager.nest("func.func").add(each)
    return manager


def _run(manager: PassManager, module: ModuleOp, cache: Path | Store | None) -> tuple[Any, ...]:
    said: list[Diagnostic] = []
    result = manager.run(module, on_diagnostic=said.append, cache=cache)
    return result, list(map(str, said)), adapter_for(module).print_op(module, EXACT)


def test_a_hit_is_a_miss(passes: ModuleType, tmp_path: Path) -> None:
    """The op, diagnostics, statistics and what changed are those of a run, without one."""
    plain = _run(_manager(passes.Search()), _module(), None)
    for runs in (2, 2, 2):
        module = _module()
        again = _run(_manager(passes.Search()), module, tmp_path / "kept")
        assert (again, len(passes.RUNS)) == (plain, runs)
        (dense,) = [op for op in module.walk() if "dense" in str(op.properties.get("value"))]
        value = dense.properties["value"]
        assert isinstance(value, DenseIntOrFPElementsAttr)
        assert value.get_values() == (1.1234567890123, 2.0)
    assert again[1] == ["in.mlir:3:3: warning: hard"]


def test_what_does_not_change_is_known_as_well(passes: ModuleType, tmp_path: Path) -> None:
    """An op that passes leave alone stays the very same."""
    for runs in (1, 1):
        module = _module()
        inside = list(module.walk())
        result, *_ = _run(_manager(passes.Search(change=False)), module, tmp_path / "kept")
        assert result.changed is False
        assert list(module.walk()) == inside
        assert len(passes.RUNS) == runs


def test_names_alone_are_kept(passes: ModuleType, tmp_path: Path) -> None:
    """Values have the names that passes give them, and the context is as runs leave it."""
    search = passes.Search(change=False, rename=True)
    plain = _run(_manager(search), _module(), None)
    assert "%renamed" in plain[2]
    for _ in range(2):
        manager = _manager(search)
        assert _run(manager, _module(), tmp_path / "kept") == plain
        assert "builtin" not in {each.name for each in manager.context.loaded_dialects}
    assert len(passes.RUNS) == 2


def _last_digit(module: ModuleOp) -> None:
    module.attributes["a"] = FloatAttr(1.1000000238418581, f64)


def _other_attribute(module: ModuleOp) -> None:
    elements = DenseIntOrFPElementsAttr.from_list(TensorType(f64, [1]), [1.5])
    module.attributes["b"] = elements


def _location(module: ModuleOp) -> None:
    list(module.walk())[2].location = module.location


def _value_name(module: ModuleOp) -> None:
    list(module.walk())[2].results[0].name_hint = "x"


@pytest.mark.parametrize("change", [_last_digit, _other_attribute, _location, _value_name])
def test_every_difference_counts(
    passes: ModuleType, tmp_path: Path, change: Callable[[ModuleOp], None]
) -> None:
    """A float's last digit, and a value's name, make another op."""
    _run(_manager(passes.Search()), _module(), tmp_path / "kept")
    module, other = _module(), _module()
    change(module)
    change(other)
    plain = _run(_manager(passes.Search()), other, None)
    assert _run(_manager(passes.Search()), module, tmp_path / "kept") == plain
    assert len(passes.RUNS) == 3


def test_options_and_code_count(passes: ModuleType, tmp_path: Path) -> None:
    """Another pipeline, other options of the run, and other code are misses."""
    kept = tmp_path / "kept"
    _run(_manager(passes.Search()), _module(), kept)
    _run(_manager(passes.Search(), passes.Search()), _module(), kept)
    assert len(passes.RUNS) == 3
    unverified = _manager(passes.Search())
    unverified.enable_verifier(False)
    _run(unverified, _module(), kept)
    assert len(passes.RUNS) == 4
    file = tmp_path / "searching.py"
    file.write_text(PASSES.replace('"yes"', '"no"'))
    del sys.modules["searching"]
    anew = importlib.import_module("searching")
    assert '"no"' in _run(_manager(anew.Search()), _module(), kept)[2]


def test_what_a_program_changes_counts(
    passes: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Other values in a module, or of a class, are other code; so is what a process has not loaded."""
    kept = tmp_path / "kept"

    def run() -> int:
        _run(_manager(passes.Search()), _module(), kept)
        return len(passes.RUNS)

    assert run() == run() == 1
    monkeypatch.setattr(passes, "LIMIT", 10, raising=False)
    assert run() == run() == 2
    monkeypatch.setattr(passes.Search, "limit", "low", raising=False)
    assert run() == run() == 3
    monkeypatch.setattr(code, "LOADED", 0)
    run()
    assert "'searching.py' has changed while this process was running" in caplog.text
    monkeypatch.setattr(passes.Search, "__module__", "__main__")
    run()
    assert "a pass of the running script has no module to read: put it into one" in caplog.text
    passes.Search.__qualname__ = "make.<locals>.Search"
    run()
    assert "make.<locals>.Search is made in a function, whose values no key holds" in caplog.text


def test_failures_are_not_kept(passes: ModuleType, tmp_path: Path) -> None:
    """A run that fails does so each time."""
    for _ in range(2):
        with pytest.raises(Exception, match="not found"):
            _run(_manager(passes.Search(fail=True)), _module(), tmp_path / "kept")
    assert len(passes.RUNS) == 2


def test_what_cannot_be_printed_is_not_kept(passes: ModuleType, tmp_path: Path) -> None:
    """A run goes as it would without a store."""
    for runs in (1, 2):
        assert _manager(passes.Search(odd=True)).run(_module(), cache=tmp_path / "kept").changed
        assert len(passes.RUNS) == runs


def test_what_is_quick_is_not_kept(tmp_path: Path) -> None:
    """Passes that take less time than reading their result back are run."""
    kept = LocalStore(tmp_path / "kept")
    manager = PassManager.parse("builtin.module(func.func(cse,canonicalize))", _context())
    manager.run(_module())  # passes are loaded
    manager.run(_module(), cache=kept)
    assert kept.statistics().entries == 0


def test_what_is_not_kept_is_said_once(
    passes: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says why nothing is kept: the run is observed, ops are others', or stand in one."""
    manager = _manager(passes.Search())
    with caplog.at_level(logging.WARNING, "passel"):
        for _ in range(2):
            with manager.instrument(Timing()):
                manager.run(_module(), cache=tmp_path / "kept")
        module = _module()
        module.body.block.add_op(ForeignOp())
        manager.run(module, cache=tmp_path / "kept")
        outer = ModuleOp([_module()])
        (inner,) = outer.body.block.ops
        manager.run(inner, cache=tmp_path / "kept")
    said = [record.getMessage() for record in caplog.records if "kept" in record.getMessage()]
    assert [line.partition(": ")[2][:40] for line in said] == [
        "the run is observed",
        "'builtin.module' holds what cannot be se",
        "the op stands in another one, which pass",
    ]
    assert "another package's" in said[1]
    assert not (tmp_path / "kept").exists()


def test_a_wrong_entry_is_a_miss(passes: ModuleType, tmp_path: Path) -> None:
    """What is kept and cannot be read is run again."""
    kept = LocalStore(tmp_path / "kept")
    plain = _run(_manager(passes.Search()), _module(), kept)
    found: list[bytes] = []
    find = kept.find
    kept.find = lambda keys: find(found.extend(keys) or keys)
    _run(_manager(passes.Search()), _module(), kept)
    wrong: list[Any] = [[True, "no IR", []], [True], "text", [True, 7, []]]
    for made in wrong:
        kept.keep({found[0]: [made, [[], []]]})
        assert _run(_manager(passes.Search()), _module(), kept) == plain


def test_a_key_is_made_without_collections_of_garbage() -> None:
    """These would go through all of the IR, again and again."""
    text = "".join(f"func.func @f{n}() {{ func.return }}\n" for n in range(50))
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    module = parse_source(context, text, "in.mlir")
    keeps = ability_of(adapter_for(module), KeepsOps)
    assert keeps is not None
    keeps.contents(module)  # imports
    phases: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        phases.append(phase)

    before = gc.get_threshold()
    gc.set_threshold(20)
    gc.callbacks.append(note)
    try:
        keeps.contents(module)
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*before)
    assert len(phases) <= 4, "those before and after alone"
