"""MLIR's ops in other processes: everything is as if they had been processed one by one."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import mlir_shipped_passes
import pytest
from dask_cluster import two_workers
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from mlir.ir import Context, IntegerType, StringAttr
from mlir_shipped_passes import (
    AskSymbol,
    Attribute,
    CallNobody,
    Die,
    Fail,
    KeepType,
    Nothing,
    Rewrite,
    TellProcess,
    Trespass,
    known_types,
    name_of,
)
from mlir_sources import CALLS, LLVM, context_of_all, function, functions, parsed, text_of
from processes import survived

from passel import PassFailedError, PassManager
from passel.mlir import MLIRAdapter

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel import OpPassManager

Parallel: TypeAlias = dict[str, Any]
"""Arguments of `PassManager.run` that let other processes do the work."""


@pytest.fixture(scope="module", params=["executor", "jobs"])
def pool(request: pytest.FixtureRequest) -> Generator[Parallel]:
    """Two processes: of an executor, which know no more than what they import, or forked."""
    if request.param == "jobs":
        yield {"jobs": 2}
        return
    with ProcessPoolExecutor(2, get_context("spawn")) as made:
        yield {"executor": made}


class Found(NamedTuple):
    """All that a run says."""

    text: str
    reported: list[tuple[str, str]]
    failures: list[tuple[Any, ...]]
    statistics: dict[str, dict[str, int]]


def fill(manager: OpPassManager, entries: list[Any]) -> None:
    """Add passes, and pairs of an anchor and what to nest there."""
    for entry in entries:
        if isinstance(entry, tuple):
            fill(manager.nest(entry[0]), entry[1])  # pyright: ignore[reportUnknownArgumentType]
        else:
            manager.add(entry)


def run(
    source: str, pipeline: list[Any], parallel: Parallel | None = None, *, verify: bool = True
) -> Found:
    """Run a pipeline on a source."""
    context = context_of_all()
    module = parsed(source, context)
    manager = PassManager("builtin.module", context)
    fill(manager, pipeline)
    manager.enable_verifier(verify)
    reported: list[Any] = []
    failures, statistics = [], {}
    try:
        result = manager.run(module, on_diagnostic=reported.append, **(parallel or {}))
        statistics = {path: dict(counts) for path, counts in result.statistics.items()}
    except PassFailedError as error:
        failures = [(*each[:-2], str(each), each.diagnostic.origin) for each in error.failures]
    said = [(str(each), str(each.notes)) for each in reported]
    return Found(text_of(module), said, failures, statistics)


COMPLEX = """%c = complex.create %x, %x : complex<f32>
  %d = complex.cos %c : complex<f32>"""
MIXED: list[Any] = ["cse", Rewrite(), "canonicalize", Attribute()]
KERNELS = "".join(
    f"""gpu.module @m{number} {{
  gpu.func @k{number}(%a: i32) kernel {{
    %0 = arith.addi %a, %a : i32
    %1 = arith.addi %a, %a : i32
    "test.use"(%0, %1) : (i32, i32) -> ()
    gpu.return
  }}
  gpu.func @other{number}() {{ gpu.return }}
}}
"""
    for number in range(4)
)
CASES: dict[str, tuple[str, list[Any]]] = {
    "native and Python": (functions(9), [("func.func", MIXED), "symbol-dce"]),
    "some unchanged": (functions(11), [("func.func", [Rewrite(every=2), Nothing()])]),
    "failures": (functions(12), [("func.func", [Rewrite(), Fail(), "cse"])]),
    "native failures": (
        functions(2) + function("bad", f"%x = arith.constant 0.0 : f32\n{COMPLEX}") + functions(0),
        [("func.func", [Rewrite(), "convert-complex-to-llvm", Nothing()])],
    ),
    "unregistered": (
        functions(4, '%u = "vendor.op"() <{a = 1}> {b = #vendor.x<1>} : () -> !vendor.type'),
        [("func.func", MIXED)],
    ),
    "unregistered siblings": (
        '"vendor.around"() ({ }) {sym_name = "odd"} : () -> ()' + functions(3),
        [("func.func", MIXED)],
    ),
    "calls": (CALLS, [("func.func", MIXED)]),
    "what a callee is like": (
        functions(3, "%c = func.call @callee(%1) : (i32) -> i32") + function("callee"),
        [("func.func", [Rewrite(), AskSymbol()])],
    ),
    "globals": (
        "memref.global constant @glob : memref<2xf32> = dense<[1.0, 0x7FC00001]>"
        + functions(4, "%m = memref.get_global @glob : memref<2xf32>"),
        [("func.func", MIXED)],
    ),
    "functions of LLVM": (
        LLVM,
        [("llvm.func", [Rewrite(), "cse", Attribute()])],
    ),
    "modules of kernels": (
        KERNELS,
        [("gpu.module", [("gpu.func", ["cse", Rewrite()]), Nothing()])],
    ),
    "kernels in a module": (
        f"module @a attributes {{gpu.container_module}} {{ {KERNELS} }} module @b {{ }}",
        [("builtin.module", [("gpu.module", [("gpu.func", MIXED)])])],
    ),
    "launches": (
        f"""module attributes {{gpu.container_module}} {{ {KERNELS}
        func.func @host(%a: i32) {{
          %c = arith.constant 1 : index
          gpu.launch_func @m0::@k0 blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%a : i32)
          return
        }}
        func.func @idle() {{ return }} }}""",
        [("func.func", [Rewrite()])],
    ),
    "modules": (
        "".join(f"module @m{n} attributes {{t.x = {n}}} {{ {functions(3)} }}\n" for n in range(4)),
        [("builtin.module", ["symbol-dce", Attribute(), ("func.func", MIXED)])],
    ),
    "odd names": (
        function(r'"a b\22\00c"', r'%c = func.call @"\C3\BC !"(%1) : (i32) -> i32')
        + function('"ü !"')
        + functions(2),
        [("func.func", MIXED)],
    ),
    "big": (
        function("many", "\n".join(f"%b{n} = arith.muli %a, %a : i32" for n in range(900)))
        + functions(3, f"%big = arith.constant dense<{list(range(3000))}> : tensor<3000xi64>"),
        [("func.func", MIXED)],
    ),
    "resources": (
        functions(2, "%r = arith.constant dense_resource<blob> : tensor<2xi32>")
        + function("f7")
        + '{-# dialect_resources: {builtin: {blob: "0x040000000100000002000000"}} #-}',
        [("func.func", MIXED)],
    ),
    "distinct": (
        functions(2, '"test.x"() {a = distinct[0]<1 : i32>} : () -> ()') + functions(0),
        [("func.func", [Rewrite()])],
    ),
    "calls of nobody": (functions(4), [("func.func", [Rewrite(), CallNobody()])]),
    "the enclosing op": (functions(4), [("func.func", [Rewrite(), Trespass()])]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_everything_is_the_same(pool: Parallel, case: tuple[str, list[Any]]) -> None:
    """IR with locations, failures, diagnostics and counts are those of one after the other."""
    expected = run(*case)
    assert run(*case, pool) == expected
    assert expected.text != text_of(parsed(case[0]))


def test_without_verification(pool: Parallel) -> None:
    """What passes leave invalid is left so, and no other process has to read it."""
    case = functions(9), [("func.func", [Fail()])]
    assert run(*case, pool, verify=False) == run(*case, verify=False)


SHIPPED = ["calls", "globals", "functions of LLVM", "kernels in a module", "launches", "odd names"]


@pytest.mark.parametrize("name", ["native and Python", "unregistered", "modules", "big", *SHIPPED])
def test_other_processes_do_the_work(
    pool: Parallel, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Every op has been in another process, and nothing is said about it."""
    source, ((anchor, *_), *_) = CASES[name]
    entries: list[Any] = [TellProcess()]
    if name == "kernels in a module":
        entries = [("gpu.module", [TellProcess(), ("gpu.func", [TellProcess()])])]
    text = run(source, [(anchor, entries)], pool).text
    assert text.count('"there"') >= 2
    assert '"here"' not in text
    assert not caplog.messages


@pytest.mark.parametrize("name", ["resources", "distinct"])
def test_what_would_be_another_one_stays(pool: Parallel, name: str) -> None:
    """Resources would have other names, and distinct attributes would be new ones."""
    text = run(CASES[name][0], [("func.func", [TellProcess()])], pool).text
    stays = [line for line in text.splitlines() if "test.where" in line]
    assert '"here"' in "".join(stays)


def test_the_caller_keeps_its_op(pool: Parallel) -> None:
    """An op that was processed elsewhere is the same op, for all Python objects of it."""
    context = Context()
    module = parsed(functions(4), context)
    before = list(module.body.operations)
    addresses = [MLIRAdapter().identity_of(op) for op in before]
    manager = PassManager("builtin.module", context)
    manager.add_nested("func.func", TellProcess())
    manager.run(module, **pool)
    after = list(module.body.operations)
    assert before == after
    assert addresses == [MLIRAdapter().identity_of(op) for op in after]
    assert all(StringAttr(op.attributes["test.where"]).value == "there" for op in before)
    assert [name_of(op) for op in before] == ["f0", "f1", "f2", "f3"]
    assert all(op.operation.attached for op in before)


def test_objects_that_passes_keep_do_no_harm(pool: Parallel) -> None:
    """What a worker has made of a type of another context is done again here."""
    context = context_of_all()
    found: list[str] = []
    for parallel in ({}, pool):
        module = parsed(functions(9), context)
        known_types[:] = [IntegerType.get_signless(32, context)]
        manager = PassManager("builtin.module", context)
        manager.add_nested("func.func", KeepType(), "cse")
        manager.run(module, **parallel)
        known_types.clear()
        found.append(text_of(module))
    assert found[0] == found[1]
    assert "7 : i32" in found[0]


@pytest.fixture
def fresh() -> Generator[Parallel]:
    """Processes that may die."""
    with ProcessPoolExecutor(2, get_context("spawn")) as made:
        yield {"executor": made}


def test_an_op_that_kills_workers_is_named(fresh: Parallel) -> None:
    """All others are processed, by processes of the run's own when the pool is broken."""
    found = run(functions(3), [("func.func", [Die(on="f1")])], fresh)
    (failure,) = found.failures
    assert "@f1" in str(failure)
    assert "was killed by SIGKILL" in str(failure)
    assert found.text.count("test.alive") == 2


FORKED = """
import logging
import os
import sys
os.environ["PASSEL_TESTS_RUN_IN"] = str(os.getpid())
sys.path.insert(0, sys.argv[1])
logging.basicConfig(stream=sys.stdout, format="%(message)s")
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from mlir.ir import Context, Module
from mlir_shipped_passes import TellProcess
from passel import PassManager

context = Context()
module = Module.parse("func.func @f() { return } func.func @g() { return }", context)
manager = PassManager("builtin.module", context).add_nested("func.func", TellProcess())
with ProcessPoolExecutor(2, get_context("fork")) as pool:
    manager.run(module, executor=pool)
print(str(module).count('"here"'))
"""


def test_copies_of_a_process_with_threads_of_mlir_refuse() -> None:
    """A forked worker would wait forever for threads that are not there; it says so instead."""
    said, count = survived(FORKED, str(Path(mlir_shipped_passes.__file__).parent)).splitlines()
    assert said.startswith(
        "a worker refused its share: it was forked from a process that uses MLIR"
    )
    assert "spawn" in said
    assert count == "2"


steps = st.lists(
    st.sampled_from(
        ["cse", "canonicalize", "sccp", Rewrite(), Rewrite(every=2), Fail(), Attribute(), Nothing()]
    ),
    max_size=4,
)
nests = st.one_of(
    st.tuples(st.just("func.func"), steps),
    st.tuples(
        st.just("builtin.module"),
        st.lists(st.one_of(st.tuples(st.just("func.func"), steps), st.just("cse")), max_size=3),
    ),
)
bodies = st.sampled_from(
    [
        "",
        "%c = func.call @f0(%1) : (i32) -> i32",
        '"test.x"() ({ "test.y"() : () -> () }) : () -> () loc("n"("f":1:2))',
        "%c = arith.constant dense_resource<blob> : tensor<2xi32>",
    ]
)
modules = st.lists(bodies, min_size=1, max_size=5).map(
    lambda found: "".join(function(f"f{number}", body) for number, body in enumerate(found))
)


@settings(max_examples=settings().max_examples // 2, phases=[Phase.explicit, Phase.generate])
@given(
    own=modules,
    inner=st.lists(modules, max_size=3),
    pipeline=st.lists(st.one_of(nests, st.just("symbol-dce")), min_size=1, max_size=3),
    verify=st.booleans(),
)
def test_any_pipeline(
    pool: Parallel, own: str, inner: list[str], pipeline: list[Any], *, verify: bool
) -> None:
    """Whatever is run on whatever, in this process or others, is the same."""
    source = own + "".join(f"module @m{number} {{ {text} }}\n" for number, text in enumerate(inner))
    assert run(source, pipeline, pool, verify=verify) == run(source, pipeline, verify=verify)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_ops_go_to_a_cluster(caplog: pytest.LogCaptureFixture) -> None:
    """The workers of Dask are processes that were started, with contexts of their own."""
    case = CALLS, [("func.func", [*MIXED, TellProcess()])]
    with two_workers(Path(mlir_shipped_passes.__file__).parent) as client:
        found = run(*case, {"executor": client})
    assert found == run(*case)._replace(text=found.text)
    assert found.text.count('test.where = "there"') == 9
    assert not [each for each in caplog.records if each.name == "passel"]
