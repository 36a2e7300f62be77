"""MLIR's threads and Python's: diagnostics come from any, and nothing dies or waits forever."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident
from typing import Any

import pytest
from mlir.ir import Context, IntegerAttr, IntegerType, Module, Type, TypeAttr
from processes import survived

from passel import Pass, PassContext, PassManager
from passel.mlir import bindings
from passel.mlir.bindings import bindings_named
from passel.mlir.calls import BindingsCalls, Calls, LibraryCalls, calls_of

NESTED = """
from mlir.ir import Context, Module, Type, TypeAttr

context = Context()
function = "func.func @f{} (%a: i32) -> i32 {{ return %a : i32 }}"
functions = " ".join(function.format(n) for n in range(9))
source = " ".join(f"module @m{n} {{ {functions} }}" for n in range(9))

def broken():
    module = Module.parse(source, context)
    kind = TypeAttr.get(Type.parse("(i32) -> f32", context), context)
    for inner in module.body.operations:
        for each in inner.regions[0].blocks[0].operations:
            each.attributes["function_type"] = kind
    return module
"""
"""Makes a module of modules of functions that are all invalid."""

ONE_THREAD = """
from passel.mlir import capi
capi.load = lambda bindings: None
"""
"""Makes a build out of this one that does not export the C API."""

CAUGHT = """
from passel import PassFailedError, PassManager
from passel.mlir import ParseError, parse_source

inner = "builtin.module(func.func(cse),symbol-dce)"
for pipeline in ("builtin.module(strip-debuginfo)", f"builtin.module({inner})"):
    for _ in range(3):
        manager = PassManager.parse(pipeline, context)
        try:
            manager.run(broken())
        except PassFailedError as error:
            print(len(error.failures) > 0)
text = str(broken())
for _ in range(4):
    try:
        parse_source(context, text, "t.mlir")
    except ParseError as error:
        print("doesn't match function result type" in error.diagnostics[0].message)
"""

BUILDS = pytest.mark.parametrize("build", ["", ONE_THREAD], ids=["library", "bindings"])


@BUILDS
def test_invalid_ops_on_threads_of_threads_fail_the_run(build: str) -> None:
    """Functions in nested modules are verified by threads of threads, which all report.

    They are when they are parsed, too.
    """
    assert survived(f"{build}{NESTED}{CAUGHT}") == "\n".join(["True"] * 10)


@pytest.fixture(params=["library", "bindings"])
def calls(request: pytest.FixtureRequest) -> Calls:
    """Both ways to call MLIR."""
    bindings = bindings_named("mlir")
    return calls_of(bindings) if request.param == "library" else BindingsCalls(bindings)


def invalid(context: Context, count: int = 1) -> Any:
    """Return a module of functions that return what they must not."""
    functions = (f"func.func @f{n}(%a: i32) -> i32 {{ return %a : i32 }}" for n in range(count))
    module = Module.parse("\n".join(functions), context)
    for each in module.body.operations:
        kind = Type.parse("(i32) -> f32", context)
        each.attributes["function_type"] = TypeAttr.get(kind, context)
    return module.operation


def test_verification_says_all_that_is_wrong(calls: Calls) -> None:
    """Every invalid function is reported, in order, with the notes that MLIR attaches."""
    is_valid, reports = calls.verify(invalid(Context(), 3))
    assert not is_valid
    assert [str(each.location) for each in reports] == ["-:1:33", "-:2:33", "-:3:33"]
    assert all(each.message.startswith("type of return operand 0") for each in reports)
    assert [each.notes[0].message.partition(":")[0] for each in reports] == [
        "see current operation"
    ] * 3


@pytest.mark.parametrize("has_threads", [False, True])
def test_a_context_keeps_its_threads_or_none(calls: Calls, *, has_threads: bool) -> None:
    """Threads are on or off after a run as they were before."""
    context = Context()
    context.enable_multithreading(has_threads)
    before = context.get_num_threads()
    calls.verify(invalid(context))
    assert context.get_num_threads() == before


def test_the_handlers_of_others_get_nothing(calls: Calls) -> None:
    """What passel asks for is kept from other handlers, which get everything else."""
    context = Context()
    seen: list[str] = []

    def take(diagnostic: Any) -> bool:
        seen.append(diagnostic.message)
        return True

    handler: Any = context.attach_diagnostic_handler(take)
    with handler:
        calls.verify(invalid(context))
        assert not seen
        Module.parse("func.func private @f()", context).operation.location.emit_error("mine")
    assert seen == ["mine"]


def test_an_interrupt_in_a_diagnostic_is_raised_when_mlir_has_returned() -> None:
    """Ctrl-C between a diagnostic's arrival and its being kept is not lost."""
    script = """
import signal
from mlir.ir import Context, Module
from passel.mlir import calls, diagnostics
from passel.mlir.bindings import bindings_named
from passel.mlir.calls import calls_of

real = calls.decoded

def interrupted(text):
    signal.raise_signal(signal.SIGINT)
    return real(text)

calls.decoded = interrupted
source = b"func.func @f() -> i32 { return }"
try:
    print(calls_of(bindings_named("mlir")).parse(Context(), calls.OP, source, b"t.mlir"))
except KeyboardInterrupt:
    print("interrupted")
"""
    assert survived(script) == "interrupted"


class InWhichThread(Pass):
    """Take note of the thread."""

    name = "in-which-thread"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        kind = IntegerAttr.get(IntegerType.get_signless(64, ctx.ir_context), get_ident() % 2**31)
        op.operation.attributes["thread"] = kind


def test_threads_of_python_do_not_get_its_ops(caplog: pytest.LogCaptureFixture) -> None:
    """Python passes run in the thread of the run, which is said in a line."""
    with Context() as context:
        module = Module.parse("func.func @f() { return } func.func @g() { return }")
        manager = PassManager("builtin.module", context).add_nested("func.func", InWhichThread())
        with ThreadPoolExecutor() as executor:
            manager.run(module, executor=executor)
        assert str(module).count(f"thread = {get_ident() % 2**31}") == 2
    said = "not using threads: contexts of mlir can be used by only one Python thread at a time"
    assert caplog.messages == [said]


THREADED = pytest.mark.skipif(
    Context().get_num_threads() == 1, reason="MLIR has one thread for one processor"
)


def threads_of_calls(
    manager: PassManager, module: Module, monkeypatch: pytest.MonkeyPatch, **given: Any
) -> list[tuple[str, int]]:
    """Return the ops that MLIR runs passes on, each with how many threads it has for them."""
    found: list[tuple[str, int]] = []

    def runner(calls: LibraryCalls, native: Any) -> Any:
        run = original(calls, native)

        def observed(*ops: Any, **how: Any) -> Any:
            found.extend((op.name, op.context.get_num_threads()) for op in ops)
            return run(*ops, **how)

        return observed

    original = LibraryCalls.runner
    with monkeypatch.context() as patch:
        patch.setattr(LibraryCalls, "runner", runner)
        manager.run(module, **given)
    return found


def nested(context: Context, outer: int | None, inner: int | None) -> PassManager:
    """Return a pipeline for the functions in modules, with how many of each may run at once."""
    manager = PassManager("builtin.module", context)
    modules = manager.nest("builtin.module", jobs=outer)
    modules.nest("func.func", jobs=inner).add("cse", "canonicalize")
    return manager


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (None, None, ["builtin.module"] * 2),
        (None, 1, ["func.func"] * 2),
        (1, None, ["builtin.module"] * 2),
    ],
)
def test_levels_with_a_limit_are_not_left_to_mlir(
    monkeypatch: pytest.MonkeyPatch, outer: int | None, inner: int | None, expected: list[str]
) -> None:
    """Passes of a level that takes so many ops at once at most run on one after the other."""
    context = Context()
    text = "module { func.func @f() { return } } module { func.func @g() { return } }"
    manager = nested(context, outer, inner)
    found = threads_of_calls(manager, Module.parse(text, context), monkeypatch)
    assert [name for name, _ in found] == expected


@THREADED
@pytest.mark.parametrize("way", ["argument", "environment"])
def test_one_job_is_one_thread(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """With one job MLIR works on the thread of the run alone, however that is asked for."""
    context = Context()
    usual = context.get_num_threads()
    module = Module.parse("module { module { func.func @f() { return } } }", context)
    manager = nested(context, None, None)
    if way == "environment":
        monkeypatch.setenv("PASSEL_JOBS", "1")
    given = {} if way == "environment" else {"jobs": 1}
    assert threads_of_calls(manager, module, monkeypatch, **given) == [("builtin.module", 1)]
    assert context.get_num_threads() == usual


@THREADED
def test_fewer_threads_than_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """MLIR makes as many threads as jobs, where there are more processors."""
    processors = os.sched_getaffinity(0)
    context = Context()
    monkeypatch.setattr(bindings, "_processors", lambda: len(processors) + 1)
    with bindings.on_threads(context, 2):
        assert context.get_num_threads() == 2
    assert os.sched_getaffinity(0) == processors
