"""Explaining why a step stands where it stands, and why there is no order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from passel.builder.minimizing import minimal_conflict
from passel.builder.sequence import Group, Nest, Step
from passel.errors import MAX_PROBLEMS, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from passel.builder.arranging import Arrangement
    from passel.builder.rules import Rule, Rules
    from passel.builder.sequence import Node, Sequence


class Explanation(NamedTuple):
    """Why a step stands where it stands.

    Attributes:
        label: The label of the step.
        sentences: The reasons, the first of which says who has put it there.
    """

    label: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n  ".join(self.sentences)


def explanation(step: Step, sequence: Sequence, rules: Rules) -> Explanation:
    """Return why a step stands where it stands.

    Args:
        step: The step.
        sequence: All steps.
        rules: The constraints.
    """
    verb = "placed" if step.is_placed else "added"
    by = f" by {step.origin}" if step.origin.extension else f" at {step.origin}"
    sentences = [f"'{step.label}' was {verb}{by if str(step.origin) else ''}"]
    neighbours = [
        f"{side} '{other.label}'"
        for side, other in (("after", sequence.before(step)), ("before", sequence.after(step)))
        if other is not None
    ]
    if neighbours:
        sentences.append(f"it runs right {' and right '.join(neighbours)}")
    sentences += step.because
    sentences += (f"it {rule.constraint} ({rule.source})" for rule in rules.of(step))
    sentences += (rule.about(subject) for rule, subject in rules.mentioning(step))
    return Explanation(step.label, tuple(sentences))


def refusal(
    arrangement: Arrangement, rules: Rules, freed: Callable[[], Arrangement | None]
) -> InsertionError:
    """Return the error that says why there is no order, in as few constraints as possible.

    Args:
        arrangement: What has no order; its solver has just failed.
        rules: All constraints.
        freed: Returns the same with explicitly added steps free to move, if they are not.

    Raises:
        TooManyAttemptsError: It takes too long to find out.
    """
    cycle = list(arrangement.items(arrangement.solver.cycle))
    members = minimal_conflict(arrangement.solver, arrangement.demands)
    found = [arrangement.rules[number] for number in members]
    around = {number for _, _, number in cycle if number >= 0}
    if around != set(members):
        cycle = []
    lines = list(_sentences(arrangement, rules, members, cycle))
    other = freed()
    is_free = other is not None and _has_order(other, found)
    if is_free and not cycle:
        lines.append("steps that were added explicitly keep their order")
    elif cycle:
        lines += _facts(cycle)
    these = "all of these" if len(lines) > 1 else "this"
    way_out = "one of the constraints" if len(found) > 1 else "the constraint"
    or_move = (
        ", change the order of what was added explicitly, as arrange() may," if is_free else ""
    )
    shown = _shortened(lines)
    return InsertionError(
        Problem(f"there is no order that fulfils {these}:"),
        *(Problem(f"  {line}") for line in shown),
        Problem(f"drop {way_out}{or_move} or leave out one of the steps"),
        rules=found,
    )


def _has_order(arrangement: Arrangement, rules: list[Rule]) -> bool:
    wanted = set(map(id, rules))
    chosen = [n for n, rule in enumerate(arrangement.rules) if id(rule) in wanted]
    return arrangement.solver.solve(chosen) is not None


def _sentences(
    arrangement: Arrangement,
    rules: Rules,
    members: Iterable[int],
    cycle: list[tuple[Node, Node, int]],
) -> Iterator[str]:
    """Yield the constraints, those of a cycle in its order."""
    order = list(dict.fromkeys(n for _, _, n in cycle if n >= 0)) or list(members)
    for number in order:
        rule = arrangement.rules[number]
        subjects = rules.subjects(rule)
        around = {
            step for a, b, n in cycle if n == number for item in (a, b) for step in item.steps()
        }
        yield rule.about(next((step for step in subjects if step in around), subjects[0]))


def _facts(cycle: list[tuple[Node, Node, int]]) -> Iterator[str]:
    """Yield what is fixed in a cycle."""
    start = next(place for place, (_, _, number) in enumerate(cycle) if number >= 0)
    fixed: list[Node] = []
    for before, after, number in cycle[start + 1 :] + cycle[: start + 1]:
        if number < 0:
            fixed += (before, after)
            continue
        if fixed:
            yield _fixed(fixed[0], fixed[-1])
            fixed = []
        for item in (before, after):
            if not isinstance(item, Step):
                yield f"{_named(item)} stays in one piece"


def _fixed(first: Node, last: Node) -> str:
    uses = {use.label for step in first.steps() for use in step.bundles}
    common = [use for step in last.steps() for use in step.bundles if use.label in uses]
    if isinstance(first, Group) and isinstance(last, Group):
        return f"{_named(first)} comes before {_named(last)}"
    pair = f"{_named(first)} before {_named(last)}"
    if common:
        return f"bundle '{common[0].bundle.name}' has {pair}"
    where = f" at {last.origin}" if last.origin.file and not last.origin.extension else ""
    by = f" by {last.origin}" if last.origin.extension else where
    return f"{pair}, since they were added explicitly in this order{by}"


def _named(item: Node) -> str:
    if isinstance(item, Nest):
        return f"nested pipeline '{item.label}'"
    if isinstance(item, Group):
        return f"{'bundle' if item.is_closed else 'stage'} '{item.name}'"
    return f"'{item.label}'"


def _shortened(lines: list[str]) -> list[str]:
    lines = list(dict.fromkeys(lines))
    most = MAX_PROBLEMS - 2
    if len(lines) <= most:
        return lines
    left_out = f"... and {len(lines) - most + 1} more, each about the step before ..."
    return [*lines[: most // 2], left_out, *lines[len(lines) - (most - most // 2 - 1) :]]
