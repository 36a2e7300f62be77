"""The same pipelines run in the same order, and fail with the same words, in mlir-opt and passel.

An input is written once, in the toy IR's text, and translated for mlir-opt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from event_recorder import EventRecorder

from passel import PassManager
from passel.errors import PassFailedError, PipelineError
from passel.testing import parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline_table import Build
    from tool_fixtures import MlirOpt, Outcome

    from passel.ir import IRAdapter
    from passel.passes import PassRegistry
    from passel.testing import ToyOp

# Functions and modules by turns; two modules hold functions of their own.
MIXED = """builtin.module(
  func.func @f0, builtin.module @m0(func.func @inner0, func.func @inner1), func.func @f1,
  gpu.module @g0, builtin.module @m1(func.func @inner2), llvm.func @l0, func.func @f2)"""

# `sharding-propagation` fails on declarations: on the first and the third function.
FAILING = """builtin.module(
  func.func @f0, builtin.module @m0, func.func @f1(func.return), func.func @f2,
  func.func @f3(func.return))"""

# Ops that `any` passes over: one unregistered, one not isolated.
STRANGE = "builtin.module(foo.bar, func.func @f0, scf.execute_region(scf.yield), func.func @f1)"

FLAGS = ("--allow-unregistered-dialect", "--no-implicit-module")


def mlir_text(op: ToyOp) -> str:
    """Return the op in MLIR's syntax."""
    name = op.name.removeprefix("builtin.") + (f" @{op.symbol}" if op.symbol else "")
    body = f"{{ {' '.join(map(mlir_text, op.body))} }}"
    match op.name:
        case "foo.bar":
            return '"foo.bar"() : () -> ()'
        case "llvm.func":
            return f"{name}()"
        case "func.func" if not op.body:
            return f"func.func private @{op.symbol}()"
        case "func.func":
            return f"{name}() {body}"
        case "builtin.module" | "gpu.module" | "scf.execute_region":
            return f"{name} {body}"
        case _:
            return op.name


def real_events(run: Outcome) -> list[str]:
    """Return what the IR dumps of mlir-opt say of the order of passes."""
    header = r"// -----// IR Dump (Before|After) .*?\((\S+)\) \('(\S+)' operation(?:: (@\w+))?\)"
    return [
        f"{'before-pass' if when == 'Before' else 'after-pass-failed'} {name} {symbol or op}"
        for when, name, op, symbol in re.findall(header, run.err)
    ]


def real_errors(run: Outcome) -> list[str]:
    """Return mlir-opt's errors."""
    return [spelled(message) for message in re.findall(r": error: (.*)", run.err)]


def spelled(message: str) -> str:
    """Spell a message so that both agree: mlir-opt names a pass by its class, and no way out."""
    message = re.sub(r"\bpass '[\w-]+'", "pass", message)
    message = re.sub(r"! It runs on .*", "!", message)
    message = re.sub(r"; (to run the pipeline|no registered operation) .*", "", message)
    return message[:1].lower() + message[1:]


ORDERS = {
    "op-by-op": ("builtin.module(func.func(cse,canonicalize))", MIXED),
    "merged": ("builtin.module(func.func(cse),func.func(canonicalize))", MIXED),
    "merged-in-program-order": ("builtin.module(func.func(cse),builtin.module(strip-debuginfo),func.func(canonicalize))", MIXED),
    "a-pass-between-keeps-apart": ("builtin.module(func.func(cse),strip-debuginfo,func.func(canonicalize))", MIXED),
    "four-anchors": ("builtin.module(llvm.func(cse),gpu.module(cse),func.func(cse),builtin.module(cse))", MIXED),
    "any-first": ("builtin.module(any(cse),func.func(canonicalize))", MIXED),
    "any-last": ("builtin.module(func.func(cse),any(canonicalize))", MIXED),
    "any-twice": ("builtin.module(any(cse),any(canonicalize))", MIXED),
    "any-without-conflict-merges": ("builtin.module(any(promote-buffers-to-stack),builtin.module(cse))", MIXED),
    "any-conflicts-with-the-next": ("builtin.module(builtin.module(cse),any(promote-buffers-to-stack),func.func(cse))", MIXED),
    "any-conflicts-with-any-in-a-group": ("builtin.module(any(promote-buffers-to-stack),gpu.module(cse),any(cse))", MIXED),
    "any-passes-over-strange-ops": ("builtin.module(any(cse),func.func(canonicalize))", STRANGE),
    "one-picky-pass-keeps-ops-out": ("builtin.module(any(cse,promote-buffers-to-stack,canonicalize))", MIXED),
    "nested-is-not-picky": ("builtin.module(any(func.func(cse)))", MIXED),
    "one-level": ("builtin.module(builtin.module(func.func(cse)))", MIXED),
    "merged-twice": ("builtin.module(builtin.module(func.func(cse)),builtin.module(func.func(canonicalize)))", MIXED),
    "merged-only-outside": ("builtin.module(builtin.module(func.func(cse),cse),builtin.module(func.func(cse)))", MIXED),
    "any-at-the-top": ("any(func.func(cse),canonicalize)", MIXED),
    "siblings-of-a-failed-op-run": ("builtin.module(func.func(sharding-propagation,cse),canonicalize)", FAILING),
    "merged-siblings-of-a-failed-op-run": ("builtin.module(func.func(sharding-propagation),builtin.module(cse),func.func(cse))", FAILING),
    "failure-two-levels-down": ("builtin.module(builtin.module(func.func(sharding-propagation),cse),func.func(cse))", MIXED),
}  # fmt: skip


@pytest.mark.parametrize(("pipeline", "shape"), ORDERS.values(), ids=ORDERS)
def test_order(
    pipeline: str, shape: str, mlir_opt: MlirOpt, registry: PassRegistry, adapter: IRAdapter
) -> None:
    """Passes start, and fail, on the same ops in the same order."""
    module = parse_toy(shape)
    real = mlir_opt(
        f"--pass-pipeline={pipeline}",
        "--mlir-print-ir-before-all",
        "--mlir-print-ir-after-failure",
        "--mlir-print-ir-module-scope",
        *FLAGS,
        source=mlir_text(module),
    )
    recorder = EventRecorder()
    manager = PassManager.parse(pipeline, registry=registry, adapter=adapter)
    manager.add_instrumentation(recorder)
    succeeded = True
    try:
        manager.run(module)
    except PassFailedError:
        succeeded = False

    # mlir-opt does not dump the IR around steps that only run nested pipelines.
    events = [
        event for event in recorder.events if re.match(r"(before-pass|after-pass-failed) \w", event)
    ]
    assert events == real_events(real), real.err
    assert events, "the input gives the pipeline something to do"
    assert succeeded is (real.code == 0)


@pytest.mark.parametrize(
    ("pipeline", "shape"),
    [
        ("foo.bar(cse)", "foo.bar"),
        ("any(cse)", "foo.bar"),
        ("any(cse)", "scf.execute_region(scf.yield)"),
        ("any(promote-buffers-to-stack)", MIXED),
        ("any(sharding-propagation)", MIXED),
        ("func.func(cse)", MIXED),
        ("func.func()", MIXED),
        ("foo.bar(cse)", MIXED),
        ("builtin.module(sharding-propagation)", MIXED),
        ("builtin.module(any(gpu.module(sharding-propagation)))", MIXED),
        ("builtin.module(func.func(sharding-propagation))", FAILING),
    ],
)
def test_errors(
    pipeline: str, shape: str, mlir_opt: MlirOpt, registry: PassRegistry, adapter: IRAdapter
) -> None:
    """What goes wrong in a run is said in the same words."""
    op = parse_toy(shape)
    real = mlir_opt(f"--pass-pipeline={pipeline}", *FLAGS, source=mlir_text(op))
    manager = PassManager.parse(pipeline, registry=registry, adapter=adapter)
    with pytest.raises((PassFailedError, PipelineError)) as caught:
        manager.run(op)
    if isinstance(caught.value, PassFailedError):
        messages = [failure.diagnostic.message for failure in caught.value.failures]
    else:
        messages = [problem.message for problem in caught.value.problems]
    # passel says first which pass gave up.
    own = [spelled(re.sub(r"pass '[\w-]+' failed: ", "", message)) for message in messages]
    assert own == real_errors(real), real.err
    assert own


@pytest.mark.parametrize(
    ("pipeline", "same_place"),
    [
        ("cse", False),
        ("builtin.module(nosuch)", True),
        ("builtin.module(cse,func.func(any(nosuch)))", True),
        ("builtin.module(func.func(cse)cse)", True),
        ("builtin.module(canonicalize{top-down)", True),
        ("builtin.module(cse,canonicalize{top-down} cse)", True),
        # mlir-opt takes the outermost parentheses off first, and counts what is left.
        ("builtin.module(cse))", False),
        ("builtin.module(func.func(cse)", False),
        # These have no place in mlir-opt.
        ("builtin.module(promote-buffers-to-stack)", False),
        ("builtin.module(func.func(cse,convert-gpu-to-nvvm))", False),
    ],
)
def test_building_errors(
    pipeline: str,
    same_place: bool,
    mlir_build: Callable[[str], Build],
    registry: PassRegistry,
    adapter: IRAdapter,
) -> None:
    """A wrong pipeline is refused with MLIR's sentence, to which passel may add a way out."""
    first_line = mlir_build(pipeline).err.partition("\n")[0]
    with pytest.raises(PipelineError) as caught:
        PassManager.parse(pipeline, registry=registry, adapter=adapter)
    (problem,) = caught.value.problems
    message = first_line.rpartition("error: ")[2]
    assert spelled(problem.message).startswith(spelled(message)), message

    if same_place:
        match = re.search(r"Parser:1:(\d+):", first_line)
        assert match
        assert problem.span
        # mlir-opt counts from behind the outer anchor, passel from the start of the text.
        assert problem.span.column == int(match[1]) + len("builtin.module(")


@pytest.mark.parametrize(
    ("pipeline", "shape"),
    [
        ("builtin.module(foo.bar(cse))", STRANGE),
        ("builtin.module(scf.execute_region(cse))", STRANGE),
        ("builtin.module(builtin.module(sharding-propagation),any(cse))", MIXED),
    ],
)
def test_found_before_the_run(
    pipeline: str, shape: str, mlir_opt: MlirOpt, registry: PassRegistry, adapter: IRAdapter
) -> None:
    """What mlir-opt only notices when it meets such an op, passel refuses before it runs."""
    real = mlir_opt(f"--pass-pipeline={pipeline}", *FLAGS, source=mlir_text(parse_toy(shape)))
    assert "op trying to schedule" in real.err
    manager = PassManager.parse(pipeline, registry=registry, adapter=adapter)
    with pytest.raises(PipelineError):
        manager.check()
