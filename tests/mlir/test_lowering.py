"""Several native passes as one call: the same answers as one by one, and when it is done."""

from __future__ import annotations

from operator import is_not
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from event_recorder import EventRecorder
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from mlir.ir import Context

from passel import Pass, PassContext, PassFailedError, PassManager
from passel.hooks import PassInstrumentation
from passel.mlir import MLIRAdapter, parse_source
from passel.passes import PassRegistry
from passel.schedule import NestedStep
from passel.schedule.compiler import PipelineCompiler

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from passel.errors import Failure
    from passel.schedule import Step


class Answer(NamedTuple):
    """All that a run tells, to compare; but for `changed`, which a fused run never knows."""

    text: str
    diagnostics: list[str]
    failures: list[tuple[str, ...]]


def told(failure: Failure) -> tuple[str, ...]:
    """Return all of a failure."""
    return (
        failure.kind,
        failure.pass_text,
        failure.path,
        failure.where,
        str(failure.location),
        failure.diagnostic.origin,
        *map(str, (failure.diagnostic, *failure.diagnostic.notes)),
    )


class Python(Pass[Any]):
    """Do nothing."""

    name = "python"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


REGISTRY = PassRegistry()
REGISTRY.register(Python)


def answer(
    source: str, pipeline: str, *watchers: PassInstrumentation, verify: bool = True
) -> Answer:
    """Run a pipeline on a source."""
    context = Context()
    context.allow_unregistered_dialects = True
    module = parse_source(context, source, "t.mlir")
    manager = PassManager.parse(pipeline, context, registry=REGISTRY)
    manager.enable_verifier(verify)
    for watcher in watchers:
        manager.add_instrumentation(watcher)
    try:
        result = manager.run(module, on_diagnostic=lambda _: None)
    except PassFailedError as error:
        diagnostics = [*map(str, error.diagnostics)]
        return Answer(str(module), diagnostics, [*map(told, error.failures)])
    assert not result.changed
    return Answer(str(module), [*map(str, result.diagnostics)], [])


def both(source: str, pipeline: str, *, verify: bool = True) -> Answer:
    """Run fused and one by one, which must not differ but in the order of passes, and return it."""
    fused = answer(source, pipeline, verify=verify)
    alone = answer(source, pipeline, EventRecorder(), verify=verify)
    assert fused._replace(diagnostics=sorted(fused.diagnostics)) == alone._replace(
        diagnostics=sorted(alone.diagnostics)
    )
    return fused


def failing(name: str) -> str:
    """Return a function for which `convert-complex-to-llvm` fails."""
    return (
        f"func.func @{name}(%a: complex<f32>) -> complex<f32> {{\n"
        f"  %0 = complex.cos %a : complex<f32>\n  return %0 : complex<f32>\n}}\n"
    )


def leaking(name: str) -> str:
    """Return a module that `convert-scf-to-cf` leaves with several blocks, which is invalid."""
    return f"""module {name} {{
  %a = arith.constant 0 : index
  %b = arith.constant 1 : index
  scf.for %i = %a to %b step %b {{ "test.x"() : () -> () }}
}}
"""


def misread(name: str) -> str:
    """Return a function for which `convert-func-to-llvm` reports an error and succeeds."""
    layout = "affine_map<(d0) -> (d0 floordiv 2)>"
    return f"func.func @{name}(%m: memref<4xf32, {layout}>) {{ return }}\n"


def kernels(name: str, *bodies: str) -> str:
    """Return a module of kernels, named by their numbers."""
    inside = "".join(
        f"gpu.func @k{n}(%a: complex<f32>) {{ {b} gpu.return }}\n" for n, b in enumerate(bodies)
    )
    return f"gpu.module @{name} {{ {inside} }}\n"


SAME = "%0 = complex.neg %a : complex<f32> %1 = complex.neg %a : complex<f32>"
COSINE = '%0 = complex.cos %a : complex<f32> "test.use"(%0) : (complex<f32>) -> ()'

GOOD = """func.func @good(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
"""

BREAK = "convert-complex-to-llvm"

FUNCTIONS = "linalg-detensorize"
"""A pass for functions, whatever their names."""

ODD = ("a.b", "a_b", "a/b", "../x", "ü ", "a b", "", r"q\22r", r"a\\b", "?*")
"""Symbols that are no names of files, or not of different ones."""


class Case(NamedTuple):
    """A run, and how often it fails."""

    source: str
    pipeline: str
    failures: int


CASES = {
    "success": Case(GOOD, "builtin.module(func.func(cse),symbol-dce,func.func(canonicalize))", 0),
    "one": Case(GOOD + failing("f"), f"builtin.module(func.func(cse,{BREAK},cse))", 1),
    "the second of its name": Case(
        "module attributes {test.x} { func.func private @x() }\n" + failing("f"),
        f"builtin.module(builtin.module({BREAK}),{BREAK})",
        1,
    ),
    "unnamed siblings": Case(
        f"module {{ {failing('f')} }}\nmodule {{ {GOOD} }}\nmodule {{ {failing('f')} }}",
        f"builtin.module(builtin.module(cse,{BREAK}))",
        2,
    ),
    "odd symbols": Case(
        "".join(failing(f'"{name}"') for name in ODD),
        f"builtin.module(func.func(cse,{BREAK}))",
        len(ODD),
    ),
    "invalid": Case(
        leaking("@x") + leaking("") + GOOD + leaking("@y"),
        "builtin.module(builtin.module(convert-scf-to-cf,cse),canonicalize)",
        3,
    ),
    "invalid after Python": Case(leaking("@x"), "builtin.module(python,convert-scf-to-cf)", 1),
    "beside": Case(leaking("@x") + leaking(""), "builtin.module(any(python,convert-scf-to-cf))", 2),
    "invalid and failed": Case(
        leaking("@x") + f"module {{ {failing('f')} }}",
        f"builtin.module(builtin.module(convert-scf-to-cf,{BREAK}))",
        2,
    ),
    "errors of a success": Case(
        f"module @a {{ {misread('f')} }}\nmodule {{ {misread('g')} }}",
        "builtin.module(builtin.module(convert-func-to-llvm,cse))",
        0,
    ),
    "not on functions": Case(GOOD, "builtin.module(any(sccp,inline))", 1),
    "kernels in modules": Case(
        "".join(
            f"module @m{n} {{ {kernels('a', SAME, COSINE)} {failing('f')} }}" for n in range(6)
        ),
        f"builtin.module(builtin.module(gpu.module(gpu.func(cse,{BREAK})),func.func({BREAK})))",
        12,
    ),
    "on any": Case(
        f"module @a {{ {failing('f')} }} {GOOD} module {{ {failing('f')} }} {failing('g')}",
        f"builtin.module(any(cse,any({BREAK})),any(cse,{BREAK}))",
        2,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_same_answers(case: Case) -> None:
    """IR, failures, diagnostics and their order are the same."""
    assert len(both(*case[:2]).failures) == case.failures


@pytest.mark.parametrize(
    ("source", "pipeline", "op", "passes"),
    [
        (failing("f"), f"func.func({BREAK},cse,{BREAK})", "'func.func' @f", [BREAK, BREAK]),
        (failing("x" * 300), f"func.func(cse,{BREAK})", "'builtin.module'", ["cse", BREAK]),
    ],
    ids=["two of one name", "a symbol too long for a file"],
)
def test_what_is_not_known(source: str, pipeline: str, op: str, passes: list[str]) -> None:
    """If MLIR does not say which pass failed, all that it may be are named."""
    (failure,) = answer(source, f"builtin.module({pipeline})").failures
    assert failure[3] == op
    assert failure[6].endswith(f"one of the passes {str(passes)[1:-1]} failed")


def test_nothing_runs_twice(tmp_path: Path) -> None:
    """A pass that fails has not been run again, in a context that it has changed."""
    library = tmp_path / "typo.mlir"
    library.write_text(
        """module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %g = transform.apply_registered_pass "canonicalise" to %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}"""
    )
    preload = f"transform-preload-library{{transform-library-paths={library}}}"
    found = answer(GOOD, f"builtin.module({preload},transform-interpreter)")
    assert found.diagnostics[0].endswith("4:10: error: unknown pass or pass pipeline: canonicalise")
    assert [each[1] for each in found.failures] == ["transform-interpreter"]


functions = st.sampled_from((GOOD, failing("f"), misread("m"), ""))
modules = st.lists(st.tuples(st.sampled_from(("", "@a", "@b")), functions), max_size=4)
passes = st.sampled_from(
    ("cse", "canonicalize", BREAK, "convert-arith-to-llvm", "convert-func-to-llvm")
)
elements = st.one_of(
    passes,
    st.lists(passes, min_size=1, max_size=3).map(
        lambda names: f"builtin.module({','.join(names)})"
    ),
    st.lists(
        passes.filter(lambda name: name != "convert-func-to-llvm"), min_size=1, max_size=3
    ).map(lambda names: f"func.func({','.join(names)})"),
)


@settings(max_examples=settings().max_examples // 2, phases=[Phase.generate])
@given(functions, modules, st.lists(elements, min_size=1, max_size=4))
def test_any_pipeline(own: str, inner: list[tuple[str, str]], steps: list[str]) -> None:
    """Whatever is run on whatever, fused or not is the same."""
    named = {name: body for name, body in inner if name}
    unnamed = [("", body) for name, body in inner if not name]
    source = own + "".join(
        f"module {name} {{ {body} }}\n" for name, body in [*named.items(), *unnamed]
    )
    both(source, f"builtin.module({','.join(steps)})")


def shape(steps: Sequence[Step]) -> list[Any]:
    """Return passes and fused steps as their text, other nested steps as lists."""
    adapter = MLIRAdapter()
    found: list[Any] = []
    for step in adapter.lower(steps, verify=True):
        if isinstance(step, NestedStep):
            found.append([shape(pipeline.steps) for pipeline in step.pipelines])
        else:
            found.append(step.title)
    return found


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        ("cse,inline,func.func(cse,canonicalize)", ["cse,inline,func.func(cse,canonicalize)"]),
        (
            "cse,func.func(cse),any(cse),func.func(cse)",
            ["cse,func.func(cse),any(cse),func.func(cse)"],
        ),
        ("cse,python,cse", ["cse", "python", "cse"]),
        ("cse,func.func(cse,python,sccp,cse)", ["cse", [["cse", "python", "sccp,cse"]]]),
        (
            "cse,builtin.module(gpu.module(cse),func.func(cse)),cse",
            ["cse", [["func.func(cse),gpu.module(cse)"]], "cse"],
        ),
        ("cse,pdl.pattern(cse),async.func(cse)", ["cse,async.func(cse),pdl.pattern(cse)"]),
        ("cse,any(inline,python)", ["cse", [["inline", "python"]]]),
        (f"any({FUNCTIONS})", [[[FUNCTIONS]]]),
        (f"cse,func.func({BREAK},cse,{BREAK})", [f"cse,func.func({BREAK},cse,{BREAK})"]),
    ],
)
def test_what_is_fused(pipeline: str, expected: list[Any]) -> None:
    """Adjacent native passes are, across nested pipelines."""
    context = Context()
    manager = PassManager.parse(f"builtin.module({pipeline})", context, registry=REGISTRY)
    assert shape(PipelineCompiler(MLIRAdapter(), context).schedule(manager).steps) == expected


class AroundRuns(PassInstrumentation):
    """Watches runs, but no passes."""

    def before_run(self, run: Any) -> None:
        """Take no note."""


def test_what_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks that see or gate passes, and checks of analyses, turn it off; others do not."""
    calls: list[bool] = []
    lower = MLIRAdapter.lower

    def spy(self: MLIRAdapter, steps: Sequence[Step], *, verify: bool) -> tuple[Step, ...]:
        calls.append(verify)
        return lower(self, steps, verify=verify)

    monkeypatch.setattr(MLIRAdapter, "lower", spy)

    def fused(*watchers: PassInstrumentation, verify: Any = True, **how: Any) -> list[bool]:
        calls.clear()
        context = Context()
        manager = PassManager.parse("builtin.module(cse,canonicalize)", context)
        manager.enable_verifier(verify)
        manager.enable_analysis_verifier(how.get("analyses", False))
        if "gate" in how:
            manager.add_gate(how["gate"])
        for watcher in watchers:
            manager.add_instrumentation(watcher)
        manager.run(parse_source(context, GOOD, "t"))
        return list(calls)

    assert fused() == [True]
    assert fused(verify="always") == [True]
    assert fused(verify=False) == [False]
    assert fused(AroundRuns()) == [True]
    assert fused(EventRecorder()) == []
    assert fused(analyses=True) == []
    assert fused(gate=is_not) == []  # a step is not an op, so all pass the gate
