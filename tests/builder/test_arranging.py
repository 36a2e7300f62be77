"""Orders made from constraints, compared with all orders of a few steps."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from builder_passes import OnFunc, OnModule, snapshot
from hypothesis import given
from hypothesis import strategies as st

from passel import AnchorError, InsertionError, OpPassManager, Pass, PassManager
from passel.builder import (
    PassType,
    PipelineBuilder,
    after_all,
    after_any,
    before_first,
    conflicts,
    immediately_after,
    not_between,
    requires,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.builder import Constraint

ODD, EVEN = PassType("odd"), PassType("even")
NAMES = ("p0", "p1", "p2", "p3", "p4")
PASSES: dict[str, type[Pass]] = {
    name: type(name.upper(), (Pass,), {"name": name, "types": ((EVEN, ODD)[number % 2],)})
    for number, name in enumerate(NAMES)
}
KINDS: dict[str, Any] = {
    each.__name__: each
    for each in (
        after_any,
        after_all,
        before_first,
        immediately_after,
        not_between,
        requires,
        conflicts,
    )
}


class Wish(NamedTuple):
    """A constraint as the tests know it: names of passes, or `odd` and `even`."""

    subject: str
    kind: str
    targets: tuple[str, ...]

    def constraint(self) -> Constraint:
        """Return it as the builder knows it."""
        return KINDS[self.kind](*({"odd": ODD, "even": EVEN}.get(t, t) for t in self.targets))

    def holds(self, order: Sequence[str]) -> bool:
        """Return whether an order keeps it; written down from its definition alone."""
        if self.subject not in order:
            return True
        here = order.index(self.subject)
        places = [
            [p for p, name in enumerate(order) if p != here and target in (name, parity(name))]
            for target in self.targets
        ]
        there = places[0]
        if self.kind == "not_between":
            return not any(first < here < last for first in there for last in places[1])
        return {
            "after_any": any(p < here for p in there),
            "after_all": all(p < here for p in there),
            "before_first": all(p > here for p in there),
            "immediately_after": here - 1 in there,
            "requires": bool(there),
            "conflicts": not there,
        }[self.kind]


def parity(name: str) -> str:
    """Return the type of a pass."""
    return "odd" if int(name[1:]) % 2 else "even"


def wishes(*kinds: str) -> st.SearchStrategy[list[Wish]]:
    """Return a few constraints."""
    targets = st.sampled_from((*NAMES, "odd", "even"))
    one = st.tuples(st.sampled_from(NAMES), st.sampled_from(kinds), st.tuples(targets, targets))
    return st.lists(
        one.map(lambda w: Wish(w[0], w[1], w[2] if w[1] == "not_between" else w[2][:1])), max_size=7
    )


ORDER_KINDS = ("after_any", "after_all", "before_first")
CHECKED_KINDS = ("immediately_after", "not_between")
SOLVED_KINDS = (*ORDER_KINDS, "requires", "conflicts")


def orders(names: Sequence[str], fixed: Sequence[str] = ()) -> Iterable[tuple[str, ...]]:
    """Yield all orders of passes in which some keep theirs."""
    for order in permutations(names):
        if [name for name in order if name in fixed] == list(fixed):
            yield order


def constrained(wished: Iterable[Wish]) -> PipelineBuilder:
    """Return an empty builder with constraints."""
    builder = PipelineBuilder()
    for wish in wished:
        builder.constrain(wish.subject, wish.constraint())
    return builder


def names_in(builder: PipelineBuilder) -> tuple[str, ...]:
    """Return the names of a builder's passes in order."""
    return tuple(step.pass_.name for step in builder.steps())


def check_minimal(
    error: InsertionError, wished: Sequence[Wish], possible: Sequence[tuple[str, ...]]
) -> None:
    """Check that constraints contradict each other, and none of them is superfluous."""
    assert error.rules
    named = [
        next(w for w in wished if w.subject == rule.target and w.constraint() == rule.constraint)
        for rule in error.rules
    ]
    for left_out in (None, *named):
        kept = [wish for wish in named if wish is not left_out]
        is_possible = any(all(wish.holds(order) for wish in kept) for order in possible)
        assert is_possible == (left_out is not None), str(error)


@given(st.permutations(NAMES), st.integers(1, 5), wishes(*SOLVED_KINDS))
def test_arrange(names: list[str], count: int, wished: list[Wish]) -> None:
    """There is an order exactly if one of all orders keeps the constraints; it is one of these."""
    names = names[:count]
    builder = constrained(wished)
    before = snapshot(builder)
    possible = list(orders(names))
    good = [order for order in possible if all(wish.holds(order) for wish in wished)]
    try:
        builder.arrange(*(PASSES[name]() for name in names))
    except InsertionError as error:
        assert not good
        assert snapshot(builder) == before
        check_minimal(error, wished, possible)
    else:
        assert names_in(builder) in good
        assert names_in(PipelineBuilder.from_manager(builder.build())) == names_in(builder)


@given(st.permutations(NAMES), st.integers(0, 4), wishes(*ORDER_KINDS, *CHECKED_KINDS))
def test_checked_kinds(names: list[str], count: int, wished: list[Wish]) -> None:
    """What runs right before a step, or on both sides of it, is not arranged: it is right, or refused."""
    builder = constrained(wished)
    explicit, placed = names[:count], names[count:]
    try:
        builder.arrange(*(PASSES[name]() for name in explicit))
        builder.place(*(PASSES[name]() for name in placed))
        builder.build()
    except InsertionError:
        return
    assert all(wish.holds(names_in(builder)) for wish in wished)


def flattenings(groups: Sequence[Sequence[str]]) -> Iterable[tuple[str, ...]]:
    """Yield all orders of blocks and of what is inside of each."""
    for order in permutations(groups):
        for inside in product(*(permutations(group) for group in order)):
            yield tuple(name for group in inside for name in group)


@given(
    st.permutations(NAMES),
    st.sampled_from([(2, 3), (2, 1, 2), (3, 1, 1), (1, 4), (2, 2, 1)]),
    wishes(*ORDER_KINDS),
)
def test_arrange_nested_pipelines(
    names: list[str], sizes: tuple[int, ...], wished: list[Wish]
) -> None:
    """Nested pipelines stay in one piece: there is an order exactly if one of those keeps all."""
    rest = iter(names)
    groups = [[next(rest) for _ in range(size)] for size in sizes]
    builder = constrained(wished)
    possible = list(flattenings(groups))
    good = [order for order in possible if all(wish.holds(order) for wish in wished)]
    nests = [
        OpPassManager("func.func").add(*(PASSES[name]() for name in group)) for group in groups
    ]
    try:
        builder.arrange(*nests)
    except InsertionError as error:
        assert not good
        check_minimal(error, wished, possible)
    else:
        assert names_in(builder) in good


@given(st.permutations(NAMES), st.integers(0, 4), wishes(*ORDER_KINDS), st.randoms())
def test_place(names: list[str], count: int, wished: list[Wish], random: Any) -> None:
    """Placed steps go among explicit ones, which keep their order; calls to place go anywhere."""
    explicit, placed = names[:count], names[count:]
    builder = constrained(wished)
    try:
        builder.add(*(PASSES[name]() for name in explicit))
    except InsertionError:
        return
    before, empty = snapshot(builder), constrained(wished)
    possible = list(orders(names, explicit))
    good = [order for order in possible if all(wish.holds(order) for wish in wished)]
    try:
        builder.place(*(PASSES[name]() for name in placed))
        builder.build()
    except InsertionError as error:
        assert not good
        if snapshot(builder) == before:
            check_minimal(error, wished, possible)
        return
    assert names_in(builder) in good
    calls: list[tuple[Any, str]] = [(empty.add, name) for name in explicit]
    for name in placed:
        calls.insert(random.randint(0, len(calls)), (empty.place, name))
    try:
        for call, name in calls:
            call(PASSES[name]())
    except InsertionError:
        return  # something that it needs was to come later
    assert str(empty) == str(builder)


@given(st.permutations(NAMES), wishes(*ORDER_KINDS), st.randoms())
def test_extensions_in_any_order(names: list[str], wished: list[Wish], random: Any) -> None:
    """Extensions that each place a pass with its constraints give the same in any order."""

    def extension(name: str) -> Any:
        def extend(builder: PipelineBuilder) -> None:
            for wish in wished:
                if wish.subject == name:
                    builder.constrain(name, wish.constraint())
            builder.place(PASSES[name]())

        extend.__qualname__ = random.choice("abc") + name
        return extend

    extensions = [extension(name) for name in names[2:]]
    results: list[str] = []
    for given_extensions in (extensions, random.sample(extensions, len(extensions))):
        builder = PipelineBuilder()
        builder.add(*(PASSES[name]() for name in names[:2]))
        try:
            results.append(str(builder.extend(*given_extensions)))
        except InsertionError as error:
            results.append(str(error))
    assert results[0] == results[1]


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 9), st.integers(0, 4)), max_size=9),
    wishes(*KINDS),
)
def test_what_is_refused_changes_nothing(
    changes: list[tuple[str, int, int]], wished: list[Wish]
) -> None:
    """After each change the constraints hold; after a refused one the builder is as before."""
    builder = constrained(wished)
    for name, where, kind in changes:
        before, there = snapshot(builder), names_in(builder)
        target = there[where % len(there)] if there else name
        pass_ = PASSES[name]()
        try:
            if kind == 0:
                builder.insert_before(target, pass_)
            elif kind == 1:
                builder.insert_after(target, pass_)
            elif kind == 2:
                builder.remove(target)
            elif kind == 3:
                builder.replace(target, pass_)
            else:
                builder.add(pass_)
        except InsertionError:
            assert snapshot(builder) == before
        else:
            order = names_in(builder)
            if len(set(order)) == len(order):
                assert all(wish.holds(order) for wish in wished)


@given(
    st.recursive(
        st.sampled_from(("cse", "canonicalize", "any(cse)")),
        lambda inner: st.lists(inner, max_size=4).map(lambda each: f"func.func({','.join(each)})"),
        max_leaves=8,
    )
)
def test_managers_round_trip(text: str) -> None:
    """A builder made from a manager builds an equal one."""
    manager = PassManager.parse(f"builtin.module({text},any({text}),symbol-dce)")
    assert PipelineBuilder.from_manager(manager).build() == manager


def test_passes_for_other_ops_are_arranged_where_they_can_be() -> None:
    """The first nested pipeline, as for `place`; without one they are refused."""
    builder = PipelineBuilder.parse("builtin.module(scf.for(cse),func.func(cse))")
    builder.constrain(OnFunc, before_first("cse#2"))
    builder.arrange(OnModule(), OnFunc())
    assert str(builder) == "builtin.module(scf.for(cse),func.func(on-func,cse),on-module)"
    with pytest.raises(AnchorError):
        PipelineBuilder().arrange(OnFunc())
