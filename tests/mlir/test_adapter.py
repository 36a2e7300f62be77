"""What MLIR's bindings do unlike other IRs stays inside their adapter."""

from __future__ import annotations

import subprocess
import sys
from abc import ABC
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from mlir import ir
from mlir.dialects.arith import AddIOp
from mlir.dialects.func import FuncOp
from mlir.ir import Context, InsertionPoint, Module, Type, TypeAttr

from passel import AnchorError, FunctionLike, InterfacePass, PassContext, PassManager
from passel.diagnostics import UNKNOWN
from passel.diagnostics import Location as Place
from passel.errors import AdapterError
from passel.ir import InvalidIR, adapter_for, adapter_named
from passel.ir.adapters import has_adapter, imported_irs
from passel.mlir import MLIRAdapter, diagnostics, parse_source

if TYPE_CHECKING:
    from pathlib import Path


REGISTERED = """\
func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.muli %b, %a : i32
  return %c : i32
}
module @inner {
  func.func @g() {
    return
  }
}
"""

PROGRAM = REGISTERED + '"vendor.op"() ({ "vendor.op"() : () -> () }) : () -> ()\n'


@pytest.fixture
def adapter() -> MLIRAdapter:
    """The adapter."""
    return MLIRAdapter()


@pytest.fixture
def context(adapter: MLIRAdapter) -> Context:
    """A context that takes unregistered ops."""
    context: Context = adapter.create_context()
    context.allow_unregistered_dialects = True
    return context


@pytest.fixture
def program(context: Context) -> Any:
    """A module with functions, a module and unregistered ops."""
    return parse_source(context, PROGRAM, "p.mlir")


def break_(function: Any) -> None:
    """Give a function a type that its body does not have."""
    operation = function.operation
    broken = Type.parse("(i64, i64) -> i32", operation.context)
    operation.attributes["function_type"] = TypeAttr.get(broken, context=operation.context)


# -- Builds ----------------------------------------------------------------------------------


def test_nothing_is_imported() -> None:
    """Importing the package and making an adapter loads no bindings."""
    script = (
        "import sys, passel.mlir; passel.mlir.MLIRAdapter('iree.compiler'); "
        "passel.mlir.MLIRAdapter(); assert 'mlir' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_missing_build() -> None:
    """A build that is not installed is named when it is needed."""
    with pytest.raises(AdapterError, match=r"'iree\.compiler' cannot be used: .*iree-base-comp"):
        MLIRAdapter("iree.compiler").create_context()


def test_a_build_that_no_table_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found by its top-level package, or by its classes, wherever in it the library is."""
    (tmp_path / "some_build" / "_mlir" / "_mlir_libs").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert repr(adapter_named("some_build")) == 'MLIRAdapter("some_build._mlir")'
    context = type("Context", (), {"__module__": "some_build._mlir._mlir_libs._mlir.ir"})()
    assert adapter_for(context) is adapter_named("some_build")
    monkeypatch.setitem(sys.modules, "some_build._mlir._mlir_libs", ModuleType("libraries"))
    assert adapter_named("some_build") in imported_irs()
    monkeypatch.setitem(sys.modules, "script", ModuleType("script"))  # which Python did not find
    assert not has_adapter("script")


def test_a_module_of_a_library_is_not_an_imported_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """ASTER's library has a module `mlir`, in which passes are not looked up."""
    assert adapter_named("mlir") in imported_irs()
    monkeypatch.setitem(sys.modules, "mlir", ModuleType("mlir"))
    assert adapter_named("mlir") not in imported_irs()


# -- Ops -------------------------------------------------------------------------------------


def test_one_op_three_objects(adapter: MLIRAdapter) -> None:
    """A module, its operation and its view are one op to every question."""
    module = Module.parse(REGISTERED, context=Context())
    forms = (module, module.operation, module.operation.opview)
    assert len({adapter.key_of(form) for form in forms}) == 1
    assert len({adapter.kind_of(form) for form in forms}) == 1
    assert len({adapter.fingerprint(form) for form in forms}) == 1
    assert len({adapter.op_of(form) for form in forms}) == 1
    for form in forms:
        assert len(adapter.children(form)) == 2
        assert adapter.symbol_name(form) is None
        adapter.verify(form, recursive=True)


def test_detached_ops(adapter: MLIRAdapter, context: Context) -> None:
    """An op that was never in a module, or was taken out of one, has no parent."""
    alone = parse_source(context, "func.func private @f()", "t", implicit_module=False)
    module = parse_source(context, "func.func private @f()", "t")
    (function,) = adapter.children(module)
    function.operation.detach_from_parent()
    for op in (alone, module, function):
        assert adapter.parent(op) is None


def test_erased_ops(adapter: MLIRAdapter, program: Any) -> None:
    """An op that was erased is an error in Python, and not the end of the process."""
    function, *_ = adapter.children(program)
    function.operation.erase()
    with pytest.raises(RuntimeError, match="invalidated"):
        adapter.kind_of(function)
    assert len(adapter.children(program)) == 2


# -- Kinds -----------------------------------------------------------------------------------


@pytest.mark.sweep
def test_every_op_of_the_build() -> None:
    """No op of any dialect ends the process when its kind is found out."""
    script = """
import importlib, pkgutil
from mlir import dialects
from mlir.ir import InferTypeOpInterface
from passel.mlir import MLIRAdapter
adapter = MLIRAdapter()
context = adapter.create_context()
count = 0
for info in pkgutil.iter_modules(dialects.__path__):
    if info.name.endswith("ops_gen"):
        for value in list(vars(importlib.import_module(f"mlir.dialects.{info.name}")).values()):
            name = getattr(value, "OPERATION_NAME", None)
            if isinstance(name, str):
                kind = adapter.kind_named(context, name)
                assert kind is not None, name
                kind.implements(InferTypeOpInterface)
                count += 1
assert count > 1000, count
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_contexts_are_not_kept(adapter: MLIRAdapter) -> None:
    """What is remembered of a context does not keep it alive."""
    import gc

    gc.collect()
    before = Context._get_live_count()
    context = adapter.create_context()
    assert adapter.kind_named(context, "func.func") is not None
    del context
    gc.collect()
    assert Context._get_live_count() == before


# -- Verification ----------------------------------------------------------------------------


def test_dominance_errors_name_the_user(adapter: MLIRAdapter, program: Any) -> None:
    """A use before its definition is blamed on the user, with a note at the definition."""
    function, *_ = adapter.children(program)
    first, second, _ = adapter.children(function)
    first.operation.move_after(second)
    with pytest.raises(InvalidIR) as caught:
        adapter.verify(program, recursive=True)
    assert caught.value.op == second
    assert caught.value.message == "operand #0 does not dominate this use"
    ((place, text),) = caught.value.notes
    assert place == adapter.location(first)
    assert text == "operand defined here (op in the same block)"


def test_ops_of_one_place_are_told_apart(adapter: MLIRAdapter, program: Any) -> None:
    """If name and place fit several ops, MLIR is asked which of them; no place changes."""
    function, *_ = adapter.children(program)
    first, _, _ = adapter.children(function)
    for _ in range(3):
        first.operation.clone(InsertionPoint(first))
    *additions, product, end = adapter.children(function)
    assert len({str(op.operation.location) for op in additions}) == 1
    additions[1].operation.operands[0] = product.operation.results[0]
    before = [op.operation.location for op in adapter.children(function)]
    with pytest.raises(InvalidIR) as caught:
        adapter.verify(function, recursive=True)
    assert caught.value.op == additions[1]
    assert [op.operation.location for op in (*additions, product, end)] == before


def test_errors_where_the_context_emits_them(adapter: MLIRAdapter, program: Any) -> None:
    """A context whose errors are printed gets none from passel's questions."""
    function, *_ = adapter.children(program)
    break_(function)
    program.operation.context.emit_error_diagnostics = True
    with pytest.raises(InvalidIR, match="entry block must have 2 arguments"):
        adapter.verify(program, recursive=True)


# -- Locations and text ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('loc("o.py":7:9)', Place("o.py", 7, 9)),
        ('loc("name"("o.py":7:9))', Place("o.py", 7, 9)),
        ('loc("name")', Place(label='loc("name")')),
        ('loc(fused[unknown, "o.py":7:9, "p.py":1:1])', Place("o.py", 7, 9)),
        (
            'loc(callsite("a.py":1:2 at "b.py":3:4))',
            Place("a.py", 1, 2, caller=Place("b.py", 3, 4)),
        ),
        ("loc(unknown)", UNKNOWN),
    ],
)
def test_locations(
    adapter: MLIRAdapter,
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
    written: str,
    read: Place,
) -> None:
    """Locations of every kind are read; where they cannot be taken apart, the file at least."""
    op = parse_source(context, f'"x.y"() : () -> () {written}', "t", implicit_module=False)
    assert adapter.location(op) == read

    def is_text(_: object) -> str:
        return ""

    monkeypatch.setattr(diagnostics, "location_kind", is_text)  # as in some builds
    assert adapter.location(op) == read._replace(label="", caller=None)


# -- Fingerprints ----------------------------------------------------------------------------


def test_fingerprints_see_large_constants(adapter: MLIRAdapter, context: Context) -> None:
    """Nothing is elided, however large."""
    found: set[object] = set()
    for last in (1, 2):
        elements = ", ".join(["0"] * 999 + [str(last)])
        text = f"func.func @f() {{ %0 = arith.constant dense<[{elements}]> : tensor<1000xi32> return }}"
        found.add(adapter.fingerprint(parse_source(context, text, "t")))
    assert len(found) == 2


def test_fingerprints_of_ops_that_use_values_outside(
    adapter: MLIRAdapter, context: Context
) -> None:
    """Which outside value is used shows, though bytecode could not be written."""
    text = """
    func.func @f(%a: i1, %b: i1) {
      scf.if %a { "x.use"(%a) : (i1) -> () }
      return
    }"""
    module = parse_source(context, text, "t")
    (function,) = adapter.children(module)
    branch, _ = adapter.children(function)
    user, _ = adapter.children(branch)
    before = [adapter.fingerprint(op) for op in (branch, user)]
    user.operation.operands[0] = function.regions[0].blocks[0].arguments[1]
    assert all(adapter.fingerprint(op) != b for op, b in zip((branch, user), before, strict=True))


# -- Interfaces -------------------------------------------------------------------------------


SOURCE = "module { func.func @f() { return } } func.func @g() { return }"


class HasBody(ABC):  # noqa: B024 - ops are registered with it
    """Ops with a body that runs."""


HasBody.register(FuncOp)


@pytest.mark.parametrize(
    ("interface", "of_func", "of_addi"),
    [
        (FuncOp, True, False),
        (AddIOp, False, True),
        (ir.InferTypeOpInterface, False, True),
        (HasBody, True, False),
        (FunctionLike, True, False),
    ],
)
def test_interfaces_are_classes_of_the_bindings_of_python_or_of_passel(
    interface: type, *, of_func: bool, of_addi: bool
) -> None:
    """An op class, an interface of the bindings, and a base class with registered ops."""
    adapter, context = MLIRAdapter(), ir.Context()
    for name, expected in (("func.func", of_func), ("arith.addi", of_addi)):
        kind = adapter.kind_named(context, name)
        assert kind is not None
        assert kind.implements(interface) is expected


def test_an_interface_pass_runs_on_ops_that_have_it() -> None:
    """In a pipeline for any op, others are left out; one for an op without it is refused."""
    found: list[str | None] = []

    class ListBodies(InterfacePass[HasBody]):
        name = "list-bodies"

        def run(self, op: Any, ctx: PassContext) -> None:
            found.append(ctx.adapter.symbol_name(op))

    context = ir.Context()
    module = parse_source(context, SOURCE, "f.mlir")
    manager = PassManager("builtin.module", context)
    manager.nest("any").add(ListBodies())
    manager.run(module)
    assert found == ["g"]
    with pytest.raises(AnchorError, match="It runs on ops that implement HasBody"):
        PassManager("builtin.module", context).add(ListBodies()).run(module)
