"""What is cached for an op, who sees it, and when it is dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    AnalysisManager,
    Failure,
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
    PreservedAnalyses,
)
from passel.testing import EventRecorder, ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCS = "toy.module(toy.func @f,toy.func @g)"
DEEP = "toy.module(toy.module @m(toy.func @f))"


class Total:
    """The sum of all values in an op."""

    def __init__(self, op: ToyOp) -> None:
        self.value = sum(inner.value for inner in op.walk())


class Names:
    """The names of all ops in an op."""

    def __init__(self, op: ToyOp) -> None:
        self.names = [inner.name for inner in op.walk()]


class Both:
    """Built from the two others."""

    def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
        self.total, self.names = analyses.analysis(Total), analyses.analysis(Names)


class EqualTotal(Total):
    """A total that can be compared."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualTotal) and self.value == other.value

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def step(
    body: Callable[[ToyOp, PassContext], object], preserves: tuple[type, ...] = ()
) -> Pass[Any]:
    """Return a pass that does this."""

    class Step(Pass):
        def run(self, op: ToyOp, ctx: PassContext) -> None:
            body(op, ctx)

    Step.name, Step.preserves = "step", preserves
    return Step()


def nothing(op: ToyOp, ctx: PassContext) -> None:
    """Do nothing."""


def keep(*kinds: type) -> Pass[Any]:
    """Return a pass that asks for analyses and preserves them."""
    return step(lambda _, ctx: ([ctx.analysis(kind) for kind in kinds], ctx.preserve(*kinds)))


def look(seen: list[bool], *kinds: type) -> Pass[Any]:
    """Return a pass that notes whether analyses are cached, and preserves everything."""
    return step(
        lambda _, ctx: (
            seen.extend(ctx.cached_analysis(kind) is not None for kind in kinds),
            ctx.preserve_all(),
        )
    )


def of_funcs(*passes: Pass[Any]) -> OpPassManager:
    """Return a pipeline for functions."""
    return OpPassManager("toy.func").add(*passes)


def manager(*passes: Pass[Any] | OpPassManager, adapter: ToyAdapter | None = None) -> PassManager:
    """Return a pipeline for modules."""
    return PassManager("toy.module", adapter=adapter or ToyAdapter()).add(*passes)


def events(pm: PassManager, ir: str | ToyOp = "toy.module") -> list[str]:
    """Run a pipeline and return every hook that was called."""
    recorder = EventRecorder(ToyAdapter())
    pm.add_instrumentation(recorder)
    pm.run(parse_toy(ir) if isinstance(ir, str) else ir)
    return recorder.events


def computed(pm: PassManager, ir: str | ToyOp = "toy.module") -> list[str]:
    """Run a pipeline and return what was computed, as `Total @f`."""
    prefix = "before-analysis "
    return [e.removeprefix(prefix) for e in events(pm, ir) if e.startswith(prefix)]


def failure_of(pm: PassManager, ir: str = "toy.module 1") -> Failure:
    """Run a pipeline that fails once, and return how."""
    with pytest.raises(PassFailedError) as info:
        pm.run(parse_toy(ir))
    (failure,) = info.value.failures
    return failure


# -- What is an analysis ---------------------------------------------------------------------


def test_an_analysis_is_constructed_from_the_op() -> None:
    """A class that takes an op alone is an analysis of it."""
    seen: list[int] = []
    manager(step(lambda _, ctx: seen.append(ctx.analysis(Total).value))).run(
        parse_toy("toy.module 2(toy.func 3)")
    )
    assert seen == [5]


def test_an_analysis_may_take_the_analyses_of_its_op() -> None:
    """A class that takes two arguments gets the op and its analyses, from which it is built."""
    seen: list[bool] = []

    class Same:
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            seen.append(analyses.op is op)

    def body(op: ToyOp, ctx: PassContext) -> None:
        ctx.analysis(Same)
        seen.append(ctx.analysis(Both).total is ctx.analysis(Total))

    manager(step(body)).run(parse_toy("toy.module"))
    assert seen == [True, True]


def test_a_second_parameter_with_a_default_is_the_analysis_own_affair() -> None:
    """Only a second argument that is required is given."""
    seen: list[int] = []

    class Limited:
        def __init__(self, op: ToyOp, limit: int = 7) -> None:
            seen.append(limit)

    manager(step(lambda _, ctx: ctx.analysis(Limited))).run(parse_toy("toy.module"))
    assert seen == [7]


def test_a_class_without_a_signature_takes_the_op() -> None:
    """Classes written in C, which do not say what they take, are given the op."""
    seen: list[str] = []
    manager(step(lambda _, ctx: seen.append(ctx.analysis(str)))).run(parse_toy("toy.module 4"))
    assert seen == ["toy.module 4"]


class TakesNothing:
    """Takes nothing at all."""


class TakesThree:
    """Takes too much."""

    def __init__(self, op: ToyOp, analyses: AnalysisManager, more: int) -> None: ...


class TakesKeyword:
    """Takes a keyword that nobody gives."""

    def __init__(self, op: ToyOp, *, more: int) -> None: ...


@pytest.mark.parametrize("kind", [TakesNothing, TakesThree, TakesKeyword, "Total", 3])
def test_anything_else_is_no_analysis(kind: Any) -> None:
    """What can't be constructed is refused by name, before anything is computed."""
    pm = manager(step(lambda _, ctx: ctx.analysis(kind)))
    recorder = EventRecorder(ToyAdapter())
    pm.add_instrumentation(recorder)
    failure = failure_of(pm)
    assert failure.kind == "crashed"
    assert type(failure.cause).__name__ == "DefinitionError"
    assert f"{kind!r} is no analysis: it " in str(failure.cause)
    assert not [event for event in recorder.events if "analysis" in event]


# -- Computing and caching -------------------------------------------------------------------


def test_an_analysis_is_computed_once_while_it_is_preserved() -> None:
    """Within a pass, and from pass to pass, the same object is handed out."""
    seen: list[Total] = []
    ask = step(
        lambda _, ctx: (
            seen.append(ctx.analysis(Total)),
            seen.append(ctx.analysis(Total)),
            ctx.preserve(Total),
        )
    )
    assert computed(manager(ask, ask)) == ["Total toy.module"]
    assert len({id(total) for total in seen}) == 1


def test_each_op_has_its_own() -> None:
    """The analyses of siblings are computed apart."""
    pm = manager(of_funcs(keep(Total), keep(Total)))
    assert computed(pm, FUNCS) == ["Total @f", "Total @g"]


def test_different_classes_are_different_analyses() -> None:
    """A class and its subclass are cached apart."""
    pm = manager(step(lambda _, ctx: (ctx.analysis(Total), ctx.analysis(EqualTotal))))
    assert computed(pm) == ["Total toy.module", "EqualTotal toy.module"]


def test_hooks_are_called_around_real_computations_only_and_nest() -> None:
    """A computation within a computation is between its hooks; a cached result calls none."""
    pm = manager(step(lambda _, ctx: (ctx.analysis(Names), ctx.analysis(Both), ctx.analysis(Both))))
    assert events(pm) == [
        "before-pass step toy.module",
        "before-analysis Names toy.module",
        "after-analysis Names toy.module",
        "before-analysis Both toy.module",
        "before-analysis Total toy.module",
        "after-analysis Total toy.module",
        "after-analysis Both toy.module",
        "after-pass step toy.module",
    ]


class Broken:
    """Cannot be computed."""

    def __init__(self, op: ToyOp) -> None:
        raise ZeroDivisionError


def test_an_analysis_that_raises_crashes_the_pass_and_pairs_its_hooks() -> None:
    """The pass is blamed, with the analysis's own exception, and the hooks close."""
    pm = manager(step(lambda _, ctx: ctx.analysis(Broken)))
    recorder = EventRecorder(ToyAdapter())
    pm.add_instrumentation(recorder)
    failure = failure_of(pm)
    assert failure.kind == "crashed"
    assert isinstance(failure.cause, ZeroDivisionError)
    assert failure.cause.__context__ is None
    assert recorder.events == [
        "before-pass step toy.module",
        "before-analysis Broken toy.module",
        "after-analysis Broken toy.module",
        "after-pass-failed step toy.module",
    ]


def test_an_analysis_that_raised_is_not_cached() -> None:
    """A pass may catch the exception; the next request computes again."""
    seen: list[object] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                ctx.analysis(Broken)
        seen.append(ctx.cached_analysis(Broken))

    assert computed(manager(step(body))) == ["Broken toy.module"] * 2
    assert seen == [None]


# -- Lookups ---------------------------------------------------------------------------------


def test_cached_analysis_never_computes() -> None:
    """It returns what is there, or None."""
    seen: list[bool] = []
    pm = manager(look(seen, Total), keep(Total), look(seen, Total))
    assert computed(pm) == ["Total toy.module"]
    assert seen == [False, True]


def test_a_nested_pipeline_sees_what_its_parent_has_cached() -> None:
    """While nested passes run, analyses of the op around can be looked at."""
    seen: list[Total | None] = []
    pm = manager(
        keep(Total), of_funcs(step(lambda _, ctx: seen.append(ctx.parent_analysis(Total))))
    )
    assert computed(pm, "toy.module 8(toy.func @f)") == ["Total toy.module"]
    assert [total and total.value for total in seen] == [8]


def test_a_parent_analysis_is_never_computed() -> None:
    """Others may be working on siblings, so what is not cached is None."""
    seen: list[object] = []
    pm = manager(of_funcs(step(lambda _, ctx: seen.append(ctx.parent_analysis(Total)))))
    assert computed(pm, FUNCS) == []
    assert seen == [None, None]


def test_a_parent_analysis_may_be_stale() -> None:
    """What nested passes change is not seen in what their parent cached before."""
    seen: list[int] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        op.value = 5
        total = ctx.parent_analysis(Total)
        assert total is not None
        seen.append(total.value)

    manager(keep(Total), of_funcs(step(body))).run(parse_toy(FUNCS))
    assert seen == [0, 0]


def test_parent_analysis_takes_any_op_around() -> None:
    """Without an op it is the one immediately around; what is not around has none."""
    seen: list[list[object]] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        middle = op.parent
        assert middle is not None
        seen.append(
            [
                found and found.value
                for found in (
                    ctx.parent_analysis(Total),
                    ctx.parent_analysis(Total, middle),
                    ctx.parent_analysis(Total, middle.parent),
                    ctx.parent_analysis(Total, op),
                    ctx.parent_analysis(Names, middle) and None,
                )
            ]
        )

    middle = OpPassManager("toy.module").add(keep(Names), of_funcs(step(body)))
    manager(keep(Total), middle).run(parse_toy("toy.module 9(toy.module @m(toy.func @f))"))
    assert seen == [[None, None, 9, None, None]]


def test_nothing_is_around_the_top() -> None:
    """The op that a run starts with has no parent analyses, wherever it stands."""
    seen: list[object] = []
    pm = manager(step(lambda op, ctx: seen.append(ctx.parent_analysis(Total, op.parent))))
    pm.run(parse_toy("toy.module(toy.module @m)").body[0])
    assert seen == [None]


def test_child_analysis_computes_at_any_depth() -> None:
    """An analysis of an op inside is computed for that op and cached for it."""
    seen: list[bool] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        func = op.body[0].body[0]
        assert ctx.child_analysis(Total, func) is ctx.child_analysis(Total, func)
        ctx.preserve(Total)

    inner = OpPassManager("toy.module").add(of_funcs(look(seen, Total), keep(Total)))
    assert computed(manager(step(body), inner), DEEP) == ["Total @f"]
    assert seen == [True]


def test_child_analysis_is_for_ops_inside_only() -> None:
    """The op itself, and what is not inside of it, is refused."""

    def body(op: ToyOp, ctx: PassContext) -> None:
        for other in (op, op.parent, ToyOp("toy.func")):
            with pytest.raises(ValueError, match="not nested"):
                ctx.child_analysis(Total, other)

    assert computed(manager(of_funcs(step(body))), FUNCS) == []


def test_cached_child_analysis_looks_one_level_down_and_never_computes() -> None:
    """Children are found if they are cached; what is further inside is not looked for."""
    seen: list[bool] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        middle = op.body[0]
        seen.append(ctx.cached_child_analysis(Total, middle) is not None)
        ctx.child_analysis(Total, middle)
        ctx.child_analysis(Total, middle.body[0])
        seen.append(ctx.cached_child_analysis(Total, middle) is not None)
        seen.append(ctx.cached_child_analysis(Total, middle.body[0]) is not None)

    assert computed(manager(step(body)), DEEP) == ["Total @m", "Total @f"]
    assert seen == [False, True, False]


# -- Preserving ------------------------------------------------------------------------------


def test_nothing_is_preserved_unless_a_pass_says_so() -> None:
    """What a pass computes is gone after it."""
    seen: list[bool] = []
    manager(step(lambda _, ctx: ctx.analysis(Total)), look(seen, Total)).run(parse_toy(FUNCS))
    assert seen == [False]


def test_preserve_keeps_what_it_names_and_adds_up() -> None:
    """Several calls name more; what no call names is dropped."""
    seen: list[bool] = []
    some = step(
        lambda _, ctx: (
            [ctx.analysis(kind) for kind in (Total, Names, Both)],
            ctx.preserve(Total),
            ctx.preserve(Names),
        )
    )
    manager(some, look(seen, Total, Names, Both)).run(parse_toy(FUNCS))
    assert seen == [True, True, False]


def test_preserve_all_keeps_everything() -> None:
    """Everything that is cached stays, and is not even asked."""
    asked: list[object] = []
    seen: list[bool] = []

    class Asked(Total):
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            asked.append(self)
            return True

    everything = step(lambda _, ctx: (ctx.analysis(Total), ctx.analysis(Asked), ctx.preserve_all()))
    manager(everything, look(seen, Total, Asked)).run(parse_toy(FUNCS))
    assert (seen, asked) == ([True, True], [])


def test_a_class_body_may_say_what_is_preserved() -> None:
    """`preserves` holds for every run of the pass, together with what the run adds."""
    seen: list[bool] = []
    some = step(
        lambda _, ctx: (
            [ctx.analysis(kind) for kind in (Total, Names, Both)],
            ctx.preserve(Names),
        ),
        preserves=(Total,),
    )
    manager(some, look(seen, Total, Names, Both)).run(parse_toy(FUNCS))
    assert seen == [True, True, False]


@pytest.mark.parametrize("everything", [False, True])
def test_what_one_pass_preserves_the_next_one_does_not(everything: bool) -> None:
    """Each pass starts from nothing preserved."""
    seen: list[bool] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        ctx.analysis(Total)
        if everything:
            ctx.preserve_all()
        else:
            ctx.preserve(Total)

    manager(step(body), step(nothing), look(seen, Total)).run(parse_toy("toy.module"))
    assert seen == [False]


def test_what_is_preserved_on_one_op_is_not_on_its_sibling() -> None:
    """What a pass states holds for the op it ran on."""
    seen: list[bool] = []

    def body(op: ToyOp, ctx: PassContext) -> None:
        ctx.analysis(Total)
        if op.symbol == "f":
            ctx.preserve(Total)

    manager(of_funcs(step(body), look(seen, Total))).run(parse_toy(FUNCS))
    assert seen == [True, False]


# -- Deciding for oneself --------------------------------------------------------------------


class Immortal(Total):
    """Survives whatever happens."""

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        """Survive."""
        return False


class Mortal(Total):
    """Survives nothing that could change the op."""

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        """Die."""
        return True


class Dependant(Both):
    """Valid while it is preserved and what it is built from is."""

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        """Look at the dependencies."""
        kinds = (Dependant, Total, Names)
        return not all(preserved.is_preserved(kind) for kind in kinds)


def test_an_analysis_may_decide_to_survive() -> None:
    """`is_invalidated` that returns False keeps an analysis that nobody preserved."""
    seen: list[bool] = []
    ask = step(lambda _, ctx: (ctx.analysis(Immortal), ctx.analysis(Total)))
    manager(ask, step(nothing), look(seen, Immortal, Total)).run(parse_toy("toy.module"))
    assert seen == [True, False]


def test_an_analysis_may_decide_to_go() -> None:
    """`is_invalidated` that returns True drops an analysis that was preserved."""
    seen: list[bool] = []
    manager(keep(Mortal, Total), look(seen, Mortal, Total)).run(parse_toy("toy.module"))
    assert seen == [False, True]


def test_an_analysis_is_told_what_was_preserved() -> None:
    """`preserved` tells all, nothing, and each analysis apart."""
    told: list[tuple[bool, ...]] = []

    class Told(Total):
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            told.append(
                (
                    preserved.all,
                    preserved.none,
                    preserved.is_preserved(Total),
                    preserved.is_preserved(Names),
                )
            )
            return False

    ask = step(lambda _, ctx: ctx.analysis(Told))
    manager(ask, step(lambda _, ctx: ctx.preserve(Total))).run(parse_toy("toy.module"))
    assert told == [(False, True, False, False), (False, False, True, False)]
    everything = PreservedAnalyses(all_preserved=True)
    assert (everything.all, everything.none, everything.is_preserved(Total)) == (True, False, True)


def test_analyses_are_asked_in_the_order_of_their_computation() -> None:
    """What an analysis is built from is asked before it, though it was requested later."""
    order: list[str] = []

    class Noting:
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            order.append(type(self).__name__)
            return True

    class Inner(Noting):
        def __init__(self, op: ToyOp) -> None: ...

    class Outer(Noting):
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            analyses.analysis(Inner)

    class First(Noting):
        def __init__(self, op: ToyOp) -> None: ...

    ask = step(lambda _, ctx: [ctx.analysis(kind) for kind in (First, Outer, Inner)])
    manager(ask).run(parse_toy("toy.module"))
    assert order == ["First", "Inner", "Outer"]


@pytest.mark.parametrize(
    ("preserved", "left"),
    [
        ((Total, Names, Dependant), [True, True, True]),
        ((Names, Dependant), [False, True, False]),
        ((Total, Names), [True, True, False]),
    ],
)
def test_a_dependant_notices_that_a_dependency_is_not_preserved(
    preserved: tuple[type, ...], left: list[bool]
) -> None:
    """What was dropped does not count as preserved for what comes behind it."""
    seen: list[bool] = []
    ask = step(lambda _, ctx: (ctx.analysis(Dependant), ctx.preserve(*preserved)))
    manager(ask, look(seen, Total, Names, Dependant)).run(parse_toy("toy.module"))
    assert seen == left


def test_a_dependant_notices_that_a_dependency_went_of_its_own_accord() -> None:
    """A preserved dependency that decides to go is not preserved any more for the others."""
    seen: list[bool] = []

    class OfMortal:
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            analyses.analysis(Mortal)

        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            return not preserved.is_preserved(Mortal)

    manager(keep(OfMortal, Mortal), look(seen, OfMortal)).run(parse_toy("toy.module"))
    assert seen == [False]


def test_dependencies_are_not_tracked_without_being_asked() -> None:
    """A dependant without `is_invalidated` that is preserved stays, whatever it is built from."""
    seen: list[bool] = []
    ask = step(lambda _, ctx: (ctx.analysis(Both), ctx.preserve(Both)))
    manager(ask, look(seen, Total, Both)).run(parse_toy("toy.module"))
    assert seen == [False, True]


def test_is_invalidated_that_raises_crashes_the_pass() -> None:
    """What an analysis raises when it is asked fails the pass, whose hooks close."""

    class Raising(Total):
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            raise ZeroDivisionError

    pm = manager(of_funcs(step(lambda _, ctx: ctx.analysis(Raising))))
    recorder = EventRecorder(ToyAdapter())
    pm.add_instrumentation(recorder)
    failure = failure_of(pm, "toy.module(toy.func @f)")
    assert (failure.kind, failure.symbol) == ("crashed", "f")
    assert recorder.events[-3:] == [
        "after-pass-failed step @f",
        "after-pipeline-failed toy.func @f",
        "after-pass-failed [toy.func] toy.module",
    ]


# -- The ops inside --------------------------------------------------------------------------


def children(*kinds: type, preserving: tuple[type, ...]) -> Pass[Any]:
    """Return a pass that asks for analyses of every op inside, and preserves some."""
    return step(
        lambda op, ctx: (
            [ctx.child_analysis(kind, inner) for inner in op.body for kind in kinds],
            ctx.preserve(*preserving),
        )
    )


def look_inside(seen: list[bool], *kinds: type) -> Pass[Any]:
    """Return a pass that notes what is cached for the ops inside, and preserves it."""
    return step(
        lambda op, ctx: (
            seen.extend(
                ctx.cached_child_analysis(kind, inner) is not None
                for inner in op.body
                for kind in kinds
            ),
            ctx.preserve_all(),
        )
    )


def test_preserved_analyses_of_ops_inside_survive_to_the_next_pass() -> None:
    """What is preserved is so for the ops inside, and what is not is dropped there too."""
    seen: list[bool] = []
    pm = manager(children(Total, Names, preserving=(Total,)), look_inside(seen, Total, Names))
    pm.run(parse_toy(FUNCS))
    assert seen == [True, False, True, False]


def test_analyses_far_inside_are_dropped_as_well() -> None:
    """The ops at every depth are filtered."""
    seen: list[bool] = []

    def ask(op: ToyOp, ctx: PassContext) -> None:
        func = op.body[0].body[0]
        ctx.child_analysis(Total, func)
        ctx.child_analysis(Names, func)
        ctx.preserve(Names)

    inner = OpPassManager("toy.module").add(of_funcs(look(seen, Total, Names)))
    manager(step(ask), inner).run(parse_toy(DEEP))
    assert seen == [False, True]


def test_if_nothing_is_preserved_ops_inside_are_not_even_asked() -> None:
    """An analysis of an op inside cannot survive a pass that preserves nothing."""
    seen: list[bool] = []
    manager(children(Immortal, preserving=()), look_inside(seen, Immortal)).run(parse_toy(FUNCS))
    assert seen == [False, False]


def test_if_something_is_preserved_ops_inside_decide_for_themselves() -> None:
    """An analysis of an op inside is asked as one of the op itself is."""
    seen: list[bool] = []
    pm = manager(children(Immortal, preserving=(Names,)), look_inside(seen, Immortal))
    pm.run(parse_toy(FUNCS))
    assert seen == [True, True]


def test_what_is_dropped_from_one_op_counts_as_preserved_for_others() -> None:
    """Each op is filtered from what the pass preserved; its own losses do not cross ops."""
    seen: list[bool] = []

    class MortalAtF(Total):
        def __init__(self, op: ToyOp) -> None:
            super().__init__(op)
            self.mortal = op.symbol in (None, "f")

        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            return self.mortal

    class Of:
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            analyses.analysis(MortalAtF)

        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            return not preserved.is_preserved(MortalAtF)

    own = keep(Of, MortalAtF)
    inside = children(Of, preserving=(MortalAtF,))
    both = step(lambda op, ctx: (own.run(op, ctx), inside.run(op, ctx)))
    manager(both, look(seen, Of), look_inside(seen, Of)).run(parse_toy(FUNCS))
    assert seen == [False, False, True]


# -- Nested pipelines and the end ------------------------------------------------------------


@pytest.mark.parametrize(
    "nested",
    [
        pytest.param(OpPassManager("toy.func").add(step(nothing)), id="matches nothing"),
        pytest.param(OpPassManager("toy.func"), id="is empty"),
        pytest.param(OpPassManager("any").add(keep(Immortal)), id="preserves what it uses"),
        pytest.param(
            OpPassManager("any").add(step(lambda _, ctx: ctx.preserve_all())), id="preserves all"
        ),
    ],
)
def test_a_nested_pipeline_wipes_what_its_parent_has_cached(nested: OpPassManager) -> None:
    """Nested passes can't know what was computed outside, so nothing survives them."""
    seen: list[bool] = []
    ask = step(
        lambda op, ctx: (
            ctx.analysis(Total),
            ctx.analysis(Immortal),
            [ctx.child_analysis(Total, inner) for inner in op.body],
            ctx.preserve_all(),
        )
    )
    pm = manager(ask, nested, look(seen, Total, Immortal), look_inside(seen, Total))
    pm.run(parse_toy("toy.module(toy.module @m)"))
    assert seen == [False, False, False]


def test_what_nested_passes_compute_does_not_survive_to_their_parent() -> None:
    """The end of a nested pipeline drops what is cached for its op."""
    seen: list[bool] = []
    manager(of_funcs(keep(Immortal)), look_inside(seen, Immortal)).run(parse_toy(FUNCS))
    assert seen == [False, False]


def test_a_nested_pipeline_starts_from_what_its_parent_computed_for_its_op() -> None:
    """Preserved analyses of an op inside are there when passes run on it, and are filtered."""
    seen: list[bool] = []
    funcs = of_funcs(look(seen, Total), step(nothing), look(seen, Total))
    pm = manager(children(Total, preserving=(Total,)), funcs)
    assert computed(pm, FUNCS) == ["Total @f", "Total @g"]
    assert seen == [True, False, True, False]


def test_nothing_survives_a_run() -> None:
    """The next run of the same manager on the same op starts anew."""
    module = parse_toy("toy.module")
    pm = manager(keep(Immortal))
    assert computed(pm, module) == ["Immortal toy.module"]
    assert computed(pm, module) == ["Immortal toy.module"]


# -- When ------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [None, PassFailure, ValueError])
def test_invalidation_comes_before_verification_and_hooks_also_after_a_failure(
    error: type[Exception] | None,
) -> None:
    """Analyses are asked right after the pass, whether or not it failed."""
    order: list[str] = []

    class Asked(Total):
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            order.append("invalidate")
            return True

    class Adapter(ToyAdapter):
        def verify(self, op: ToyOp, *, recursive: bool) -> None:
            order.append("verify")

    class Recorder(EventRecorder):
        def after_pass(self, step: Any, op: Any) -> None:
            order.append("hook")

        def after_pass_failed(self, step: Any, op: Any, failure: Any) -> None:
            order.append("hook")

    def body(op: ToyOp, ctx: PassContext) -> None:
        ctx.analysis(Asked)
        op.value = 1
        if error is not None:
            raise error

    pm = manager(step(body), adapter=Adapter())
    pm.add_instrumentation(Recorder(ToyAdapter()))
    if error is None:
        pm.run(parse_toy("toy.module"))
    else:
        failure_of(pm, "toy.module")
    assert order == ["invalidate", *(() if error else ("verify",)), "hook"]


# -- The verifier of analyses ----------------------------------------------------------------


def verified(*passes: Pass[Any] | OpPassManager) -> PassManager:
    """Return a pipeline for modules whose analyses are verified."""
    pm = manager(*passes)
    pm.enable_analysis_verifier()
    return pm


class Meddler:
    """An analysis that changes what it looks at."""

    def __init__(self, op: ToyOp) -> None:
        op.value += 1


def test_an_analysis_must_not_change_its_op() -> None:
    """Changing the op fails the pass that asked, and is looked for only on request."""
    ask = step(lambda _, ctx: (ctx.analysis(Meddler), ctx.preserve_all()))
    failure = failure_of(verified(ask))
    assert failure.kind == "failed"
    assert "analysis Meddler changed the op that it looked at" in failure.diagnostic.message
    manager(ask).run(parse_toy("toy.module"))


def test_an_analysis_must_not_change_an_op_inside() -> None:
    """The op that the analysis is of is looked at, and blamed."""
    ask = step(lambda op, ctx: (ctx.child_analysis(Meddler, op.body[0]), ctx.preserve_all()))
    failure = failure_of(verified(ask), FUNCS)
    assert failure.diagnostic.message.startswith("'toy.func' op ")


def change(op: ToyOp, ctx: PassContext) -> None:
    """Change the innermost op."""
    while op.body:
        op = op.body[0]
    op.value += 1


def lie(*kinds: type, everything: bool = False) -> Pass[Any]:
    """Return a pass that changes something in its op and says that analyses are still valid."""
    return step(
        lambda op, ctx: (
            change(op, ctx),
            ctx.preserve_all() if everything else ctx.preserve(*kinds),
        )
    )


@pytest.mark.parametrize(
    "liar",
    [lie(EqualTotal), lie(everything=True), step(change, preserves=(EqualTotal,))],
    ids=["preserve", "preserve_all", "preserves"],
)
def test_a_pass_that_preserves_what_it_broke_is_found(liar: Pass[Any]) -> None:
    """An analysis that a pass claims to have preserved is computed again and compared."""
    failure = failure_of(verified(keep(EqualTotal), liar))
    assert failure.path == "toy.module/1:step"
    assert "preserves EqualTotal" in failure.diagnostic.message
    manager(keep(EqualTotal), liar).run(parse_toy("toy.module"))


@pytest.mark.parametrize("depth", [1, 2])
def test_a_pass_that_breaks_an_analysis_of_an_op_inside_is_found(depth: int) -> None:
    """Analyses of ops inside are compared as well, at any depth, and the op is named."""

    def ask(op: ToyOp, ctx: PassContext) -> None:
        inner = op.body[0] if depth == 1 else op.body[0].body[0]
        ctx.child_analysis(EqualTotal, inner)
        ctx.preserve(EqualTotal)

    failure = failure_of(verified(step(ask), lie(EqualTotal)), DEEP)
    assert f"preserves EqualTotal of @{'mf'[depth - 1]}" in failure.diagnostic.message


def test_the_dependencies_of_a_broken_analysis_are_computed_anew() -> None:
    """An analysis that repeats what a stale one says does not pass for being right."""

    class OfTotal:
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            self.value = analyses.analysis(Total).value  # which cannot be compared

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OfTotal) and self.value == other.value

        __hash__ = None  # pyright: ignore[reportAssignmentType]

    failure = failure_of(verified(keep(OfTotal, Total), lie(OfTotal, Total)))
    assert "preserves OfTotal" in failure.diagnostic.message


def erase(op: ToyOp, ctx: PassContext) -> None:
    """Erase the first op inside, and say what is true of the others."""
    erased = op.body.pop(0)
    erased.parent, erased.value = None, 77
    ctx.preserve(EqualTotal)


@pytest.mark.parametrize(
    "honest",
    [
        pytest.param((keep(EqualTotal), step(change)), id="a change that preserves nothing"),
        pytest.param((keep(EqualTotal), lie(Names)), id="a change that preserves others"),
        pytest.param((keep(Total), lie(Total)), id="what cannot be compared"),
        pytest.param((keep(EqualTotal), keep(EqualTotal)), id="no change"),
        pytest.param(
            (children(EqualTotal, preserving=(EqualTotal,)), step(erase)), id="an op was erased"
        ),
        pytest.param(
            (keep(EqualTotal), of_funcs(step(change))), id="a nested pass that changes something"
        ),
    ],
)
def test_no_honest_pass_is_accused(honest: tuple[Pass[Any] | OpPassManager, ...]) -> None:
    """What was dropped, cannot be compared, is erased or is still right is no lie."""
    verified(*honest).run(parse_toy(FUNCS))


def test_a_pass_that_failed_is_not_accused_of_anything_else() -> None:
    """The pass's own failure is the one that is reported."""

    def body(op: ToyOp, ctx: PassContext) -> None:
        change(op, ctx)
        ctx.preserve(EqualTotal)
        raise PassFailure("of its own")

    failure = failure_of(verified(keep(EqualTotal), step(body)))
    assert "of its own" in failure.diagnostic.message


def test_comparing_that_raises_crashes_the_pass() -> None:
    """What an analysis raises when it is computed again fails the pass."""

    class Fragile(EqualTotal):
        def __init__(self, op: ToyOp) -> None:
            super().__init__(op)
            if self.value > 1:
                raise ZeroDivisionError

    failure = failure_of(verified(keep(Fragile), lie(Fragile)))
    assert failure.kind == "crashed"
    assert isinstance(failure.cause, ZeroDivisionError)


def test_verifying_analyses_does_not_change_what_is_computed() -> None:
    """Hooks see the same, and the cache holds the same, as without the verifier."""

    class OfNames(EqualTotal):
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            super().__init__(op)
            analyses.analysis(Names)

    seen: list[bool] = []
    pipeline = (
        step(lambda _, ctx: (ctx.analysis(OfNames), ctx.preserve(OfNames))),
        look(seen, OfNames, Names),
    )
    assert events(verified(*pipeline)) == events(manager(*pipeline))
    assert seen == [True, False] * 2
