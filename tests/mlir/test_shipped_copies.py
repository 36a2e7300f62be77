"""Copies of MLIR's ops as another process would have them: they are what their ops are."""

from __future__ import annotations

import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlir.dialects import irdl
from mlir.ir import Context, InsertionPoint, Location, Module, Operation
from mlir_shipped_passes import make_op, name_of
from mlir_sources import CALLS, EXACT, LLVM, context_of_all, function, functions, parsed, text_of

from passel.errors import EncodingError
from passel.mlir import MLIRAdapter, frames, shipping
from passel.mlir.bindings import bindings_named
from passel.mlir.bindings_calls import BindingsCalls
from passel.mlir.bytecode import lost_in

if TYPE_CHECKING:
    from passel.mlir.frames import Symbols


def sent(module: Any, operations: list[Any], context: Context) -> Any:
    """Return copies of ops as another process would have them."""
    del module
    adapter = MLIRAdapter()
    data = adapter.ship(operations, context)
    return adapter.receive(data)


@pytest.fixture(params=["library", "bindings"])
def _both_calls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to call MLIR."""
    if request.param == "bindings":
        for module in (frames, shipping):
            monkeypatch.setattr(module, "calls_of", BindingsCalls)


STATEMENTS = [
    "%c{n} = arith.constant {n} : i32",
    "%u{n} = arith.addi %a, %a : i32",
    '"test.x"() {{s = "a\\00\\22", f = 0x7FC00001 : f32}} : () -> () loc(callsite("x" at "y":1:2))',
    '"test.region"() ({{ ^b(%x: i8): "test.y"(%x) : (i8) -> () }}) : () -> ()',
    "%g{n} = func.call @callee(%a) : (i32) -> i32",
    "%d{n} = arith.constant dense<[1.0, -0.0]> : tensor<2xf64>",
]
bodies = st.lists(st.sampled_from(STATEMENTS), max_size=6)


def written(bodies: list[list[str]]) -> str:
    """Return a module with a function for each body."""
    lines = ["module @top attributes {test.about = [1, unit]} {"]
    for number, body in enumerate(bodies):
        inside = "\n".join(line.format(n=n) for n, line in enumerate(body))
        name = "callee" if number == 1 else f"f{number}"
        lines.append(f"func.func @{name}(%a: i32) -> i32 {{\n{inside}\nreturn %a : i32\n}}")
    return "\n".join([*lines, "func.func nested @callee(i32) -> i32" * (len(bodies) < 2), "}"])


def test_a_build_that_reads_modules_alone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ops under another top than a module are refused where they are read, with the reason."""
    context = context_of_all()
    top = Operation.parse("gpu.module @top { func.func @f() { return } }", context=context)
    for module in (frames, shipping):
        monkeypatch.setattr(module, "calls_of", BindingsCalls)
    with pytest.raises(EncodingError, match=r"bytecode of modules alone, not of 'gpu\.module'"):
        sent(top, list(top.operation.regions[0].blocks[0]), context)


@given(st.lists(bodies, min_size=1, max_size=4), st.data())
def test_copies_come_back(bodies: list[list[str]], data: st.DataObject) -> None:
    """Copies print as their ops; changed or not, what comes back is what they are."""
    context = context_of_all()
    module = parsed(written(bodies), context)
    before = text_of(module)
    inside = list(module.body.operations)
    chosen = [op for op in inside if data.draw(st.booleans())] or inside[:1]
    adapter = MLIRAdapter()
    shipment = sent(module, chosen, context)
    assert text_of(module) == before
    for op, copy in zip(chosen, shipment.ops, strict=True):
        assert adapter.encode(copy, shipment.known) == b""
        assert lines(op) == lines(copy)
        if len(copy.operation.regions[0].blocks):
            change(copy, shipment.context)
        answer = adapter.encode(copy, shipment.known)
        adapter.decode_into(op, answer, context)
        assert lines(op) == lines(copy)
    assert [name_of(op) for op in module.body.operations] == [name_of(op) for op in inside]
    assert module.operation.verify()


def lines(op: Any) -> list[str]:
    """Return the lines of an op, with all that there is to it."""
    flags = EXACT._replace(local_scope=True)
    return [line.strip() for line in MLIRAdapter().print_op(op, flags).splitlines()]


def change(op: Any, context: Context) -> None:
    """Change the body of a function."""
    first = op.operation.regions[0].blocks[0].operations[0].operation
    make_op(
        "test.new",
        loc=Location.file("new.mlir", 1, 2, context),
        ip=InsertionPoint(first),
    )


@pytest.mark.usefixtures("_both_calls")
def test_changes_come_back() -> None:
    """Copies that were changed, and no others, are what their ops become."""
    context = context_of_all()
    module = parsed(CALLS, context)
    chosen = list(module.body.operations)[:4]
    data = MLIRAdapter().ship(chosen, context)
    shipment = MLIRAdapter().receive(data)
    change(shipment.ops[1], shipment.context)
    for op, copy in zip(chosen, shipment.ops, strict=True):
        answer = MLIRAdapter().encode(copy, shipment.known)
        assert bool(answer) == (op == chosen[1])
        MLIRAdapter().decode_into(op, answer, context)
        assert lines(op) == lines(copy)
    assert module.operation.verify()


UNIT = (
    "#llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, "
    'file = <"a" in "b">, isOptimized = false, emissionKind = Full>'
)


@pytest.mark.usefixtures("_both_calls")
@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ('"test.x"() {a = distinct[0]<unit>} : () -> ()', "distinct attributes"),
        ('"test.x"() {a = [distinct[3]<"x">]} : () -> ()', "distinct attributes"),
        ('"test.x"() : () -> () loc(fused<distinct[1]<"x">>["a"])', "distinct attributes"),
        (
            f'"test.x"() : () -> () loc(fused<{UNIT}>["a"])',
            "distinct attributes",
        ),
        ('"test.x"() {a = dense_resource<blob> : tensor<2xi32>} : () -> ()', "resources"),
        ('"test.x"() {a = [dense_resource<none> : tensor<2xi32>]} : () -> ()', "resources"),
    ],
)
def test_what_cannot_be_sent(statement: str, why: str) -> None:
    """It is said why, and the ops are where they were."""
    context = context_of_all()
    resources = '{-# dialect_resources: {builtin: {blob: "0x040000000100000002000000"}} #-}'
    module = parsed(function("f", statement) + function("g") + resources, context)
    before = text_of(module)
    f, g = module.body.operations
    with pytest.raises(EncodingError, match=f"{why} would be other ones"):
        MLIRAdapter().ship([f, g], context)
    assert text_of(module) == before
    assert MLIRAdapter().ship([g], context)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("func.func @f(%a: i32) -> i32 { return %a : i32 }", "'func.func' is invalid"),
        (
            '%0 = arith.constant 1 : i32 "test.x"(%0) ({ module { } }) : (i32) -> ()',
            "'test.x' has operands",
        ),
        ("module { func.func @f() { return } }", ""),
    ],
)
def test_ops_that_are_refused(source: str, why: str) -> None:
    """Invalid ops, and ops inside of ops with operands, stay where they are."""
    context = context_of_all()
    module = parsed(f"module {{ {source} }}", context)
    adapter = MLIRAdapter()
    op: Any = [*bindings_named("mlir").walk(module)][-1]
    while not adapter.kind_of(op).isolated:
        op = adapter.parent(op)
    if "invalid" in why:
        op.operation.attributes["function_type"] = function_type_of_nothing(context)
    if not why:
        assert adapter.ship([op], context)
        return
    with pytest.raises(EncodingError, match=why):
        adapter.ship([op], context)


def function_type_of_nothing(context: Context) -> Any:
    """Return a type that fits no function with arguments."""
    with context:
        return Module.parse("func.func private @f()").body.operations[0].attributes["function_type"]


def test_other_dialects_are_named() -> None:
    """A process whose contexts have other dialects refuses, and says which."""
    context = context_of_all()
    module = parsed(functions(2), context)
    data = MLIRAdapter().ship(list(module.body.operations), context)
    found = pickle.loads(data)
    (allowed, dialects), rest = found[0], found[1:]
    for names, where in ((dialects[1:], "there"), ((*dialects, "zzz"), "here")):
        changed = pickle.dumps(((allowed, names), *rest))
        with pytest.raises(EncodingError, match=rf"the dialect '\w+' is registered {where} alone"):
            MLIRAdapter().receive(changed)


load_dialects: Any = vars(irdl)["load_dialects"]


def test_ops_that_are_known_here_alone_are_not_taken() -> None:
    """Ops of a dialect that was defined at run time are not unregistered ones elsewhere."""
    context = context_of_all()
    definition = "irdl.dialect @made { irdl.operation @op { } }"
    load_dialects(Module.parse(definition, context))
    module = parsed(functions(2, '"made.op"() : () -> ()'), context)
    data = MLIRAdapter().ship(list(module.body.operations), context)
    with pytest.raises(EncodingError, match="the dialect 'made' is registered here alone"):
        MLIRAdapter().receive(data)


def test_ctrl_c_while_ops_are_written_leaves_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ops are taken out of their module for a moment, and are back in any case."""

    def interrupt(self: Symbols, *_: Any) -> Any:
        raise KeyboardInterrupt

    context = context_of_all()
    module = parsed(functions(5), context)
    before = text_of(module)
    monkeypatch.setattr(frames.Symbols, "used_in", interrupt)
    with pytest.raises(KeyboardInterrupt):
        MLIRAdapter().ship(list(module.body.operations)[1:4:2], context)
    assert text_of(module) == before


def test_callees_are_what_they_were() -> None:
    """A copy's process sees the visibility and linkage that the declarations hide for MLIR."""
    context = context_of_all()
    module = parsed(CALLS, context)
    shipment = sent(module, [module.body.operations[0]], context)
    enclosing = shipment.ops[0].operation.parent.regions[0].blocks[0].operations
    assert [name_of(op) for op in enclosing] == ["f0", "f5"]
    assert "sym_visibility" not in enclosing[1].operation.attributes
    assert not len(enclosing[1].operation.regions[0].blocks)
    llvm = parsed(LLVM, context)
    shipment = sent(llvm, [llvm.body.operations[1]], context)
    enclosing = shipment.ops[0].operation.parent.regions[0].blocks[0].operations
    assert [name_of(op) for op in enclosing] == ["g0", "g1", "glob"]
    assert str(enclosing[1].operation.attributes["linkage"]) == "#llvm.linkage<internal>"


def test_versions_name_what_is_installed() -> None:
    """Another release of the build is refused by its number."""
    assert re.search(r"bindings 22\.[\d.]+", MLIRAdapter().versions()["mlir"])


def test_lost_parts_are_found_in_bytecode_alone() -> None:
    """Numbers and texts that look like distinct attributes or resources are none."""
    context = context_of_all()
    for number in range(99):
        source = f'"t.x"() {{a = {number}, b = "+", c = "+\\2B"}} : () -> ()'
        module = parsed(source, context)
        data = frames.Frame(bindings_named("mlir"), module.operation, 1).written()
        assert data.startswith(b"ML\xefR")
        assert not lost_in(data)


def test_text_in_bytecode_is_looked_at() -> None:
    """Attributes that have no form of their own are text in there, with what is in them."""
    module = parsed(
        'llvm.func @f() { "t.x"() {a = #llvm.linkage<available_externally>} : () -> () }'
    )
    data = frames.Frame(bindings_named("mlir"), module.operation, 1).written()
    text = b"#llvm.linkage<available_externally>"
    assert text in data
    assert not lost_in(data)
    assert lost_in(data.replace(text, b"#x<distinct[0]<>>".ljust(len(text))))


def test_copies_that_use_values_of_others_are_not_written() -> None:
    """MLIR would not survive it."""
    context = context_of_all()
    module = parsed(functions(2), context)
    shipment = sent(module, list(module.body.operations), context)
    first, second = (copy.operation.regions[0].blocks[0] for copy in shipment.ops)
    place = InsertionPoint(first.operations[0])
    location = Location.unknown(shipment.context)
    made = make_op("test.use", operands=[second.arguments[0]], loc=location, ip=place)
    with pytest.raises(EncodingError, match="it is invalid"):
        MLIRAdapter().encode(shipment.ops[0], shipment.known)
    made.operation.erase()
    assert MLIRAdapter().encode(shipment.ops[0], shipment.known) == b""
