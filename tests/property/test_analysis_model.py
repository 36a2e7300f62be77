"""Random pipelines compute, keep and serve exactly the analyses that a simple model says."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, TypeAlias

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from passel import (
    AnalysisManager,
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
    PreservedAnalyses,
    option,
)
from passel.testing import ToyAdapter, ToyOp

if TYPE_CHECKING:
    from collections.abc import Iterable

Log: TypeAlias = list[tuple[str, str, str | None, int]]
LOG: Log = []
"""What happens in the real run: what, which analysis, of which op, with which value."""


def total(op: ToyOp) -> int:
    """Return the sum of all values in an op."""
    return sum(inner.value for inner in op.walk())


class Plain:
    """Valid while it is preserved."""

    def __init__(self, op: ToyOp) -> None:
        self.value = total(op)
        LOG.append(("compute", type(self).__name__, op.symbol, self.value))


class Dependant(Plain):
    """Built from `Plain`, and valid while both are preserved."""

    def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
        self.plain = analyses.analysis(Plain)
        super().__init__(op)

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        """Look at both."""
        return not (preserved.is_preserved(Dependant) and preserved.is_preserved(Plain))


class Eternal(Plain):
    """Survives whatever passes say."""

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        """Survive."""
        return False


KINDS: dict[str, Any] = {kind.__name__: kind for kind in (Plain, Dependant, Eternal)}


class Act(Pass):
    """Follows a script, and notes which analyses it gets."""

    name = "act"
    acts: tuple[str, ...] = ()
    inner: OpPassManager = option(default_factory=OpPassManager)

    def run(self, op: ToyOp, ctx: PassContext) -> None:  # noqa: C901 - a case per act
        """Do one act after the other."""
        for name, kind in KINDS.items():
            cached = ctx.cached_analysis(kind)
            if cached is not None:
                LOG.append(("find", name, op.symbol, cached.value))
        for act in self.acts:
            verb, _, what = act.partition(" ")
            match verb:
                case "ask":
                    found = ctx.analysis(KINDS[what])
                    LOG.append(("serve", what, op.symbol, found.value))
                case "ask-inside":
                    for inner in [*op.walk()][1:]:
                        found = ctx.child_analysis(KINDS[what], inner)
                        LOG.append(("serve", what, inner.symbol, found.value))
                case "keep":
                    ctx.preserve(KINDS[what])
                case "keep-all":
                    ctx.preserve_all()
                case "change":
                    [*op.walk()][-1].value += 1
                case "run":
                    ctx.run_pipeline(self.inner)
                case "run-inside":
                    for inner in [*op.walk()][1:]:
                        ctx.run_pipeline(self.inner, inner)
                case _:
                    raise PassFailure if what == "politely" else ValueError


def has_passes(entries: Iterable[object]) -> bool:
    """Return whether there is a pass in a pipeline, at any depth: without one, it changes nothing."""
    return any(
        isinstance(e, Act) or (isinstance(e, OpPassManager) and has_passes(e)) for e in entries
    )


class Model:
    """The rules, without managers of managers: one dictionary, and everything in order.

    An entry is a value and whether it may be out of date: only if a pass that changed the op
    kept it, or is still running.
    """

    def __init__(self) -> None:
        self.log: Log = []
        self.cache: dict[str | None, dict[str, int]] = {}
        self.excused: set[tuple[str | None, str]] = set()

    def pipeline(self, entries: Iterable[object], op: ToyOp, *, is_dynamic: bool = False) -> bool:
        """Run a pipeline on an op; return whether it succeeded."""
        good = True
        for entry in entries:
            if isinstance(entry, Act):
                good = self.act(entry, op)
            else:
                assert isinstance(entry, OpPassManager)
                good = all([self.pipeline(entry, inner) for inner in op.body])  # noqa: C419 - siblings run
                if has_passes(entry):
                    self.invalidate(op, set())
            if not good:
                break
        if not is_dynamic or has_passes(entries):
            self.forget(op)
        return good

    def forget(self, op: ToyOp) -> None:
        """Drop all that is cached for an op and what is inside."""
        for inner in op.walk():
            self.cache.pop(inner.symbol, None)
            self.excused -= {(inner.symbol, name) for name in KINDS}

    def ask(self, name: str, op: ToyOp) -> None:
        """Serve from the cache, or compute."""
        known = self.cache.setdefault(op.symbol, {})
        if name not in known:
            if name == "Dependant" and "Plain" not in known:
                known["Plain"] = total(op)
                self.log.append(("compute", "Plain", op.symbol, total(op)))
            known[name] = total(op)
            self.log.append(("compute", name, op.symbol, total(op)))
        self.log.append(("serve", name, op.symbol, known[name]))

    def act(self, pass_: Act, op: ToyOp) -> bool:  # noqa: C901 - a case per act
        """Run a pass; return whether it succeeded."""
        for name in KINDS:
            value = self.cache.get(op.symbol, {}).get(name)
            if value is not None:
                assert value == total(op) or (op.symbol, name) in self.excused
                self.log.append(("find", name, op.symbol, value))
        kept, everything, good, inside = set[str](), False, True, [*op.walk()][1:]
        for act in pass_.acts:
            verb, _, what = act.partition(" ")
            match verb:
                case "ask":
                    self.ask(what, op)
                case "ask-inside":
                    for inner in inside:
                        self.ask(what, inner)
                case "keep":
                    kept.add(what)
                case "keep-all":
                    everything = True
                case "change":
                    [op, *inside][-1].value += 1
                    self.excuse(op)
                case "run":
                    self.pipeline(pass_.inner, op, is_dynamic=True)
                case "run-inside":
                    for inner in inside:
                        self.pipeline(pass_.inner, inner, is_dynamic=True)
                        self.excuse(op)
                case _:
                    good = False
                    break
        if not everything:
            self.invalidate(op, kept)
        return good

    def excuse(self, op: ToyOp) -> None:
        """Take a pass's word for what is cached, as it is the one that changes things."""
        self.excused |= {
            (inner.symbol, name)
            for inner in op.walk()
            for name, value in self.cache.get(inner.symbol, {}).items()
            if value != total(inner)
        }

    def invalidate(self, op: ToyOp, kept: set[str]) -> None:
        """Drop what a pass has not kept."""
        valid = {"Plain": "Plain" in kept, "Dependant": {"Plain", "Dependant"} <= kept}
        for inner in op.walk():
            for name in KINDS:
                stays = name == "Eternal" and (inner is op or bool(kept))
                if not (stays or valid.get(name, False)):
                    self.cache.get(inner.symbol, {}).pop(name, None)
                    self.excused.discard((inner.symbol, name))
                elif name == "Eternal" and name in self.cache.get(inner.symbol, {}):
                    self.excused.add((inner.symbol, name))  # it says so itself


names = st.sampled_from(sorted(KINDS))
plain_acts = st.one_of(
    names.map("ask {}".format),
    names.map("ask {}".format),
    names.map("keep {}".format),
    names.map("keep {}".format),
    names.map("ask-inside {}".format),
    st.sampled_from(["keep-all", "change", "change"]),
)
failures = st.sampled_from(["fail politely", "fail rudely"])


def acting(acts: st.SearchStrategy[str], inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Act]:
    """Passes of up to half a dozen acts, a few of which fail at the end."""
    lists = st.lists(acts, max_size=6)
    failing = st.tuples(lists, failures).map(lambda both: [*both[0], both[1]])
    chosen = st.integers(0, 9).flatmap(lambda n: failing if n == 9 else lists)
    return st.builds(Act, acts=chosen.map(tuple), inner=inner)


def pipelines(passes: st.SearchStrategy[Act], depth: int) -> st.SearchStrategy[OpPassManager]:
    """Managers of passes and of other managers, no two of which are adjacent and so merge."""
    entries: st.SearchStrategy[Any] = passes
    if depth:
        entries = passes | pipelines(passes, depth - 1)

    def build(anchor: str, found: list[Any]) -> OpPassManager:
        pm = OpPassManager(anchor)
        for entry, before in zip(found, [None, *found], strict=False):
            if isinstance(entry, Act) or isinstance(before, Act):
                pm.add(entry)
        return pm

    return st.builds(build, st.sampled_from(["any", "toy.module"]), st.lists(entries, max_size=5))


simple = acting(plain_acts, st.builds(OpPassManager))
dynamic = acting(plain_acts | st.sampled_from(["run", "run-inside"]), pipelines(simple, 1))
roots = pipelines(dynamic, 2)


@st.composite
def modules(draw: st.DrawFn) -> tuple[ToyOp, ToyOp]:
    """Two equal trees of at most five ops that all run passes."""
    parents = draw(st.lists(st.integers(0, 9), max_size=4))
    trees: list[list[ToyOp]] = [[ToyOp("toy.module", "s")] for _ in range(2)]
    for ops in trees:
        for number, parent in enumerate(parents):
            ops.append(ops[parent % len(ops)].add(ToyOp("toy.module", f"s{number}")))
    return trees[0][0], trees[1][0]


@given(roots, modules())
def test_analyses_are_computed_kept_and_served_as_the_rules_say(
    pm: OpPassManager, twins: tuple[ToyOp, ToyOp]
) -> None:
    """Nothing is stale but by a pass's word, and nothing is computed more or less often."""
    module, twin = twins
    LOG.clear()
    runner = PassManager("toy.module", adapter=ToyAdapter()).add(*pm)
    failed = False
    try:
        runner.run(module)
    except PassFailedError:
        failed = True
    found = list(LOG)
    model = Model()
    assert model.pipeline(pm, twin) is not failed
    assert found == model.log
    assert str(module) == str(twin)


def lies(pm: OpPassManager) -> bool:
    """Return whether a pass, or one that it runs, may change what it claims to preserve."""
    return any(lies(entry) if isinstance(entry, OpPassManager) else _may_lie(entry) for entry in pm)


def _may_lie(pass_: Pass[Any]) -> bool:
    assert isinstance(pass_, Act)
    return {"keep-all", "change"} <= set(pass_.acts) or bool(len(pass_.inner))


@settings(max_examples=settings().max_examples // 2)
@given(roots, modules())
def test_verifying_analyses_changes_nothing(pm: OpPassManager, twins: tuple[ToyOp, ToyOp]) -> None:
    """Analyses that cannot be compared are not looked at again, and no cache is disturbed."""
    assume(not lies(pm))
    logs: list[Log] = []
    for module, verify in zip(twins, (False, True), strict=True):
        LOG.clear()
        runner = PassManager("toy.module", adapter=ToyAdapter()).add(*pm)
        runner.enable_analysis_verifier(verify)
        with contextlib.suppress(PassFailedError):
            runner.run(module)
        logs.append(list(LOG))
    assert logs[0] == logs[1]
