"""Putting pipelines together by constraints.

A thousand passes of fifty types, each with five constraints that some hidden order of them keeps:
after or before others, after all of a type, needs another. Nothing else does
this, so there is no peer: what is compared is the builder with and without constraints.
"""

from random import Random

from measuring import compare, wants_quick

from passel import InsertionError, Pass
from passel.builder import (
    PassType,
    PipelineBuilder,
    after_all,
    before_first,
    requires,
)


def main() -> None:
    """Measure placing, an insertion, and refusals."""
    quick = wants_quick()
    count = 60 if quick else 1_000
    passes = constrained_passes(count, Random(1))
    plain = [made(f"plain-{number}") for number in range(count)]
    rounds = 2 if quick else 7
    measure_placing(passes, plain, rounds)
    measure_insertion(passes, rounds)
    measure_refusals(passes, rounds)


def constrained_passes(count: int, random: Random) -> list[Pass]:
    """Return passes with constraints, in an order that breaks many of them."""
    names = [f"pass-{number}" for number in range(count)]
    passes: list[Pass] = []
    for here, name in enumerate(names):
        before = names[:here] or [names[-1]]
        after = names[here + 1 :] or [names[0]]
        kind = PassType(f"type-{random.randrange(here // 20)}") if here >= 20 else names[-1]
        constraints = (
            after_all(random.choice(before)) if here else requires(names[-1]),
            before_first(random.choice(after)) if here < count - 1 else requires(names[0]),
            after_all(kind) if here >= 20 else requires(kind),
            after_all(random.choice(before)) if here else requires(names[-1]),
            requires(random.choice(after)),
        )
        passes.append(made(name, types=(PassType(f"type-{here // 20}"),), constraints=constraints))
    random.shuffle(passes)
    return passes


def made(name: str, **declared: object) -> Pass:
    """Return a pass of a class of its own."""
    return type(f"Pass{name}", (Pass,), {"name": name, **declared})()


def measure_placing(passes: list[Pass], plain: list[Pass], rounds: int) -> None:
    """Compare adding passes without constraints, and placing them."""
    placed = PipelineBuilder()
    placed.place(*passes)
    steady = [  # with the constraints that hold as soon as a pass is there
        made(
            p.name, types=p.types, constraints=tuple(c for c in p.constraints if "after" in str(c))
        )
        for p in (step.pass_ for step in placed.steps())
    ]

    def one_by_one(given: list[Pass]) -> None:
        builder = PipelineBuilder()
        for each in given:
            builder.add(each)

    compare(
        f"a pipeline of {len(passes)} passes",
        {
            "added, no constraints": lambda: PipelineBuilder().add(*plain),
            "one by one, no constraints": lambda: one_by_one(plain),
            "one by one, 3 constraints each": lambda: one_by_one(steady),
            "placed, 5 constraints each": lambda: PipelineBuilder().place(*passes),
        },
        rounds=rounds,
        unit="ms",
        scale=1e3,
    ).show()


def measure_insertion(passes: list[Pass], rounds: int) -> None:
    """Compare one insertion into a placed pipeline with one into an empty one."""
    builder, empty = PipelineBuilder(), PipelineBuilder()
    builder.place(*passes)
    names = [step.pass_.name for step in builder.steps()]
    middle = names[len(names) // 2]

    class Extra(Pass):
        name = "extra"
        types = (PassType("type-1"),)
        constraints = (after_all(names[3]), before_first(names[-3]), after_all(PassType("type-0")))

    def insert() -> None:
        builder.remove(builder.insert_after(middle, Extra()))

    def refuse() -> None:
        assert builder.insert_before(names[0], Extra(), missing_ok=True) is None

    def add() -> None:
        empty.remove(empty.add("canonicalize"))

    insert()
    compare(
        f"one change of a pipeline of {len(passes)} passes with 5 constraints each",
        {
            "a pass added to an empty pipeline, and removed": add,
            "a pass inserted, and removed": insert,
            "an insertion refused": refuse,
        },
        rounds=20 * rounds,
        unit="ms",
        scale=1e3,
    ).show()


def measure_refusals(passes: list[Pass], rounds: int) -> None:
    """Measure refusing what has no order, and finding the shortest circle."""
    names = sorted((each.name for each in passes), key=lambda name: int(name.partition("-")[2]))
    late, early = names[-2], names[1]

    def cycle() -> None:
        refused(after_all(late), early)

    def long_cycle() -> None:
        builder = PipelineBuilder()
        for before, after in zip(names, (*names[1:], names[0]), strict=True):
            builder.constrain(after, after_all(before))
        assert len(error_of(builder, [made(name) for name in names]).rules) == len(names)

    def refused(constraint: object, target: str) -> None:
        builder = PipelineBuilder()
        builder.constrain(target, constraint)  # pyright: ignore[reportArgumentType]
        assert error_of(builder, passes).rules

    compare(
        f"{len(passes)} passes without an order, refused and explained",
        {
            "one must come after one that comes later": cycle,
            "all in a circle": long_cycle,
        },
        rounds=min(rounds, 3),
        unit="ms",
        scale=1e3,
    ).show()


def error_of(builder: PipelineBuilder, passes: list[Pass]) -> InsertionError:
    """Return the error of placing passes."""
    try:
        builder.place(*passes)
    except InsertionError as error:
        return error
    raise AssertionError


if __name__ == "__main__":
    main()
