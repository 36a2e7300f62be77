"""Invalid IR never leaves a run as a success, whatever passes do, and wherever they do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from event_recorder import FullEventRecorder
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, UnitAttr, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassManager
from passel.ir import InvalidIR
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel import Failure


ADAPTER = XDSLAdapter()

_SOURCE = """
module @root {
  func.func @a() { func.call @z() : () -> () return }
  func.func @b() { return }
  module @in {
    func.func @c() { func.call @f() : () -> () return }
    module @deep {
      func.func @d() { func.call @e() : () -> () return }
      func.func @e() { return }
    }
    func.func @f() { return }
  }
  func.func @z() { return }
}
"""


def _spoil(op: Operation) -> None:
    if isinstance(op, FuncOp) and (block := op.body.first_block) and block.last_op:
        block.last_op.detach()


def _change(op: Operation) -> None:
    op.attributes["seen"] = UnitAttr()


def _rename(op: Operation) -> None:
    if op.parent is not None and isinstance(op, FuncOp):
        functions = [each for each in op.parent.ops if isinstance(each, FuncOp)]
        op.properties["sym_name"] = functions[0].sym_name


def _retype(op: Operation) -> None:
    if isinstance(op, FuncOp) and (block := op.body.first_block):
        block.insert_arg(i32, 0)
        op.properties["function_type"] = FunctionType.from_lists([i32], [])


def _erase(op: Operation) -> None:
    if op.parent is not None:
        op.detach()
        op.erase()


def _move(op: Operation) -> None:
    enclosing = op.parent_op()
    if enclosing is not None and enclosing.parent is not None:
        op.detach()
        enclosing.parent.add_op(op)


def _shuffle(op: Operation) -> None:
    if isinstance(op, ModuleOp):
        first = op.body.block.first_op
        if first is not None:
            first.detach()
            op.body.block.add_op(first)


def _new_function(*ops: Operation) -> FuncOp:
    return FuncOp("new", ([], []), Region(Block(ops)))


def _add(op: Operation) -> None:
    if isinstance(op, ModuleOp):
        op.body.block.add_op(_new_function(ReturnOp()))


def _add_invalid(op: Operation) -> None:
    if isinstance(op, ModuleOp):
        op.body.block.add_op(_new_function())


def _unname(op: Operation) -> None:
    if isinstance(op, FuncOp):
        op.properties["sym_name"] = StringAttr("nobody")


def make() -> Operation:
    """Return the module to meddle with."""
    return parse_source(ADAPTER.create_context(), _SOURCE, "in.mlir")


ACTS: dict[str, Callable[[Operation], None]] = {
    "spoil": _spoil,
    "change": _change,
    "rename": _rename,
    "retype": _retype,
    "erase": _erase,
    "move": _move,
    "shuffle": _shuffle,
    "add": _add,
    "add invalid": _add_invalid,
    "unname": _unname,
}


def is_valid(op: Any) -> bool:
    """Return whether an op is valid with all that is nested in it."""
    try:
        ADAPTER.verify(op, recursive=True)
    except InvalidIR:
        return False
    return True


# -- Passes ----------------------------------------------------------------------------------

TARGETS = ["own", "inside", "around", "around that", "first", "last", "next", "z"]
"""Which op is meddled with, seen from the one that the pass runs on."""


def target_of(op: Any, which: str) -> Any:
    """Return the op to meddle with, or None."""
    enclosing = ADAPTER.parent(op)
    beside = [] if enclosing is None else list(ADAPTER.children(enclosing))
    match which:
        case "own":
            return op
        case "inside":
            return next(iter(ADAPTER.children(op)), None)
        case "around":
            return enclosing
        case "around that":
            return None if enclosing is None else ADAPTER.parent(enclosing)
        case "first" | "last":
            return beside[0 if which == "first" else -1] if beside else None
        case "next":
            behind = beside[beside.index(op) + 1 :] if op in beside else []
            return behind[0] if behind else None
        case symbol:
            return next((each for each in beside if ADAPTER.symbol_name(each) == symbol), None)


class Meddle(Pass[Any]):
    """Do something to some op, from the pass on the op called `at`, or on each."""

    name = "meddle"
    act: str = "change"
    target: str = "own"
    at: str = ""
    preserves_all: bool = False
    dynamic: bool = False

    log: ClassVar[list[tuple[str, bool]]] = []
    """What has run, by path, and whether the whole was valid before."""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it, here or in a pipeline of its own."""
        root = op
        while (enclosing := ADAPTER.parent(root)) is not None:
            root = enclosing
        self.log.append((ctx.path, is_valid(root)))
        if self.preserves_all:
            ctx.preserve_all()
        if self.dynamic:
            inner = Meddle(act=self.act, target=self.target, at=self.at)
            ctx.run_pipeline(OpPassManager("any").add(inner))
        elif self.at in ("", ADAPTER.symbol_name(op)):
            target = target_of(op, self.target)
            if target is not None:
                ACTS[self.act](target)


# -- Runs -----------------------------------------------------------------------------------------


SYMBOLS = ["root", "a", "b", "in", "c", "deep", "d", "e", "f", "z"]


class Case(NamedTuple):
    """How passes are run.

    Attributes:
        verify: When the IR is verified.
        gate: The symbol of an op on which no pass runs.
        isolation: Whether each pass is held to its op.
        claims: Whether each pass is held to what it states.
        watched: Whether all hooks are observed.
    """

    verify: Any
    gate: str
    isolation: bool
    claims: bool
    watched: bool


cases = st.builds(
    Case,
    verify=st.sampled_from([True, "always"]),
    gate=st.sampled_from(["", *SYMBOLS]),
    isolation=st.booleans(),
    claims=st.booleans(),
    watched=st.booleans(),
)


meddlers = st.builds(
    Meddle,
    act=st.sampled_from(["change", *ACTS]),
    target=st.sampled_from(["own", *TARGETS]),
    at=st.sampled_from(SYMBOLS),
    preserves_all=st.sampled_from([False, False, True]),
    dynamic=st.sampled_from([False, False, True]),
)
"""Passes of all kinds, most of which do nothing."""


def managers(depth: int) -> st.SearchStrategy[OpPassManager]:
    """Nested managers of at most this depth."""
    entries = meddlers | managers(depth - 1) if depth else meddlers
    anchors = st.sampled_from(["builtin.module", "func.func", "any"])
    return st.builds(_managed, anchors, st.lists(entries, min_size=1, max_size=3))


def _managed(anchor: str, entries: list[Any]) -> OpPassManager:
    return OpPassManager(anchor).add(*entries)


pipelines = st.lists(meddlers | managers(2), min_size=1, max_size=4)
"""What stands in the pipeline of the module at the top."""


def run(entries: list[Any], case: Case) -> tuple[Any, list[tuple[Failure, Any]]]:
    """Run passes on a new module; return it, and each failure with what had run before it."""
    pm = PassManager("builtin.module", adapter=ADAPTER).add(*entries)
    pm.enable_verifier(case.verify)
    pm.enable_isolation_check(case.isolation)
    pm.enable_analysis_verifier(case.claims)
    if case.watched:
        pm.add_instrumentation(FullEventRecorder())
    if case.gate:
        pm.add_gate(lambda _, op: ADAPTER.symbol_name(op) != case.gate)
    Meddle.log.clear()
    module = make()
    ran: dict[int, list[tuple[str, bool]]] = {}
    try:
        pm.run(module, on_diagnostic=lambda each: ran.update({id(each): list(Meddle.log)}))
    except PassFailedError as error:
        return module, [(each, ran[id(each.diagnostic)]) for each in error.failures]
    return module, []


@given(pipelines, cases)
def test_what_leaves_a_successful_run_is_valid(entries: list[Any], case: Case) -> None:
    """What a verification of the whole would refuse afterwards, the run has refused."""
    module, failures = run(entries, case)
    assert failures or is_valid(module)


@given(pipelines, cases)
def test_the_first_failure_names_who_ran_since_all_was_valid(
    entries: list[Any], case: Case
) -> None:
    """No pass is blamed that ran while everything was fine, or that has not run."""
    _, failures = run(entries, case)
    if not failures:
        return
    failure, ran = failures[0]
    if failure.kind == "invalid":
        good = max(number for number, (_, valid) in enumerate(ran) if valid)
        ran = ran[good:]
    assert failure.kind in ("invalid", "isolation", "failed"), failure
    named = [path for path, _ in ran if path.startswith(failure.path)]
    assert named, (failure, ran)
