"""Passes that do anything, in pipelines of any shape: what is observed of a run is consistent."""

from __future__ import annotations

import logging
import sys
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from random_programs.generator import random_program
from worlds import MLIRWorld, XDSLWorld

from passel import (
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    default_registry,
    option,
)
from passel.manager import BarePipeline
from passel.testing import EventRecorder
from random_inputs.forks import import_all, in_fork

if TYPE_CHECKING:
    from worlds import World

WAYS: Final = (
    "nothing",
    "tag",
    "tag",
    "tell",
    "preserve",
    "fail",
    "crash",
    "tag and fail",
    "interrupt",
)
COMMON: Final = ("cse", "canonicalize", "sccp", "loop-invariant-code-motion")
ON_MODULES: Final = ("symbol-dce", "inline")


class Act(Pass):
    """Do something on one op in a few."""

    name = "act"
    how: str = "nothing"
    among: int = 1
    pipeline: BarePipeline = option(default=BarePipeline(), help="What to run first.")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do what is wanted."""
        name = ctx.adapter.symbol_name(op) or ""
        if sum(name.encode()) % self.among:
            ctx.preserve_all()
            return
        if not ctx.run_pipeline(self.pipeline):
            raise PassFailure("its pipeline failed")
        if "tag" in self.how:
            _tag(op)
        match self.how:
            case "fail" | "tag and fail":
                raise PassFailure("not wanted")
            case "crash":
                raise ValueError("odd")
            case "interrupt":
                raise KeyboardInterrupt
            case "tell":
                ctx.emit_warning("told").attach_note("note")
            case "preserve" if not len(self.pipeline):
                ctx.preserve_all()
            case _:
                pass


def _tag(op: Any) -> None:
    if hasattr(op, "operation"):
        from mlir.ir import UnitAttr

        op.operation.attributes["tagged"] = UnitAttr.get(op.operation.context)
    else:
        from xdsl.dialects.builtin import UnitAttr

        op.attributes["tagged"] = UnitAttr()


default_registry().register(Act)


def random_elements(random: Random, depth: int = 2, *, on_module: bool = True) -> str:
    """Return a list of passes for a module or a function."""
    return ",".join(_element(random, depth, on_module) for _ in range(random.randrange(1, 4)))


def _element(random: Random, depth: int, on_module: bool) -> str:
    kind = random.randrange(8 if depth else 4)
    if kind < 2:
        return random.choice(COMMON + ON_MODULES * on_module)
    if kind < 4:
        return f"act{{how={{{random.choice(WAYS)}}} among={random.choice((1, 2, 3, 7))}}}"
    if kind == 4:
        inner = random_elements(random, depth - 1, on_module=on_module)
        return f"act{{how=nothing pipeline={{{inner}}}}}"
    if kind == 5:
        return f"other({random_elements(random, depth - 1, on_module=on_module)})"
    if not on_module:
        return random_elements(random, depth - 1, on_module=False)
    return f"func.func({random_elements(random, depth - 1, on_module=False)})"


class _Run(NamedTuple):
    """How a run went.

    Attributes:
        raised: What it raised, as text.
        after: The IR then.
        changed: Whether it says that it changed the IR.
        valid: Whether the IR is valid.
    """

    raised: str
    after: str
    changed: bool | None
    valid: bool


def _run(world: World, program: str, pipeline: str, *observers: Any) -> _Run:
    module = world.read(program)
    manager = world.manager(pipeline)
    raised, changed = "", None
    try:
        with manager.instrument(*observers):
            changed = manager.run(module).changed
    except PassFailedError as error:
        raised = str(error)
    except KeyboardInterrupt:
        raised = "interrupt"
    valid = True
    try:
        world.adapter.verify(module, recursive=True)
    except Exception:  # noqa: BLE001 - each IR raises its own
        valid = False
    return _Run(raised, world.text(module), changed, valid)


def problem(seed: int) -> str:
    """Return what is not consistent in a run, or nothing."""
    import_all()
    random = Random(seed)  # noqa: S311 - repeatable inputs
    kind = random.choice((XDSLWorld, MLIRWorld))
    program = random_program(random.randrange(99))
    pipeline = f"builtin.module({random_elements(random)})"

    def check() -> int:
        logging.getLogger("passel").setLevel(logging.CRITICAL)
        sys.stdout.write("\n".join(_inconsistencies(kind(), program, pipeline)))
        return 0

    code, said = in_fork(check)
    return f"{said.strip() or code}: {kind.__name__} {pipeline}" if code or said.strip() else ""


def _inconsistencies(world: World, program: str, pipeline: str) -> list[str]:
    before = world.text(world.read(program))
    recorder = EventRecorder()
    observed = _run(world, program, pipeline, recorder)
    alone = _run(world, program, pipeline)
    failed = any(event.startswith("after-pass-failed") for event in recorder.events)
    told = {
        "hooks do not pair": not _pair(recorder.events),
        "a failure is not raised": failed and not observed.raised,
        "it fails where no pass has failed": bool(observed.raised) and not failed,
        "what is said to be unchanged has changed": observed.changed is False
        and observed.after != before,
        "the IR is invalid after a run that went well": not observed.raised and not observed.valid,
        f"observed, the run raises {observed.raised!r}, and alone {alone.raised!r}": (
            observed.raised != alone.raised
        ),
        "observed, the run gives something else": observed.after != alone.after,
        "observed, the run says otherwise whether it has changed anything": (
            observed.changed != alone.changed
        ),
    }
    return [text for text, wrong in told.items() if wrong]


def _pair(events: list[str]) -> bool:
    begun: list[tuple[str, str]] = []
    for event in events:
        word, _, what = event.partition(" ")
        if word.startswith("before-"):
            begun.append((word.removeprefix("before-"), what))
        elif word.startswith("after-"):
            ended = word.removeprefix("after-").removesuffix("-failed")
            if not begun or begun.pop() != (ended, what):
                return False
    return not begun
