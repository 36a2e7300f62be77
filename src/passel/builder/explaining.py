"""Explaining why a step stands where it stands, and why there is no order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from passel.builder.sequence import Group, Nest, Step
from passel.errors import MAX_PROBLEMS, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.builder.arranging import Arrangement
    from passel.builder.rules import Rules
    from passel.builder.sequence import Node

_T = TypeVar("_T")

_MAX_EFFORT = 5_000
"""How many things are looked at to find out which of them contradict each other."""


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

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the sentences, in notebooks."""
        from passel.notebooks import Text, bundle  # noqa: PLC0415 - for notebooks alone

        return bundle(Text(str(self)))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the same on terminals: of tuples, IPython does not take it from the bundle."""
        printer.text(self._repr_mimebundle_()["text/plain"])


def explanation(step: Step, rules: Rules) -> Explanation:
    """Return why a step stands where it stands.

    Args:
        step: The step.
        rules: The constraints.
    """
    verb = "placed" if step.is_placed else "added"
    sentences = [f"'{step.label}' was {step.origin.clause(verb) or verb}"]
    neighbours = [
        f"{side} '{other.label}'"
        for side, other in (
            ("after", rules.before(step)),
            ("before", rules.after(step)),
        )
        if other is not None
    ]
    if neighbours:
        sentences.append(f"it runs right {' and right '.join(neighbours)}")
    sentences += step.because
    sentences += (f"it {rule.constraint} ({rule.source})" for rule in rules.of(step))
    sentences += (rule.about(subject) for rule, subject in rules.mentioning(step))
    return Explanation(step.label, tuple(sentences))


def refusal(arrangement: Arrangement, freed: Arrangement | None) -> InsertionError:
    """Return the error that says why there is no order, with as few reasons as possible.

    Args:
        arrangement: What has no order.
        freed: The same with explicitly added steps free to move, if they are not.
    """
    demands = _fewest(lambda some: not arrangement.is_possible(some), arrangement.suspects())
    links = _fewest(
        lambda some: not arrangement.is_possible(demands, some), arrangement.links(demands)
    )
    rules = tuple({id(each.rule): each.rule for each in demands}.values())
    is_free = freed is not None and freed.is_possible(demands)
    lines = [each.rule.about(each.step) for each in demands]
    lines += (f"{_named(item)} stays in one piece" for item in arrangement.in_one_piece(demands))
    lines += (_fixed(*link) for link in links)
    these = "all of these" if len(lines) > 1 else "this"
    way_out = "one of the constraints" if len(rules) > 1 else "the constraint"
    or_move = (
        ", change the order of what was added explicitly, as arrange() may," if is_free else ""
    )
    return InsertionError(
        Problem(f"there is no order that fulfils {these}:"),
        *(Problem(f"  {line}") for line in _shortened(lines)),
        Problem(f"drop {way_out}{or_move} or leave out one of the steps"),
        rules=rules,
    )


def _fewest(is_contradictory: Callable[[list[_T]], bool], suspects: list[_T]) -> list[_T]:
    """Return a part of things that contradict each other of which none can be left out.

    It is not reduced further once that takes too long.

    Source: Junker, "QuickXplain: Preferred explanations and relaxations for over-constrained
    problems", 2004.
    """
    effort = 0

    def reduce(known: list[_T], has_changed: bool, left: list[_T]) -> list[_T]:
        nonlocal effort
        effort += len(suspects)
        if effort > _MAX_EFFORT:
            return left
        if has_changed and is_contradictory(known):
            return []
        if len(left) <= 1:
            return left
        half = len(left) // 2
        second = reduce(known + left[:half], half > 0, left[half:])
        first = reduce(known + second, bool(second), left[:half])
        return first + second

    return reduce([], True, suspects)


def _fixed(first: Node, last: Node) -> str:
    uses = {use for step in first.steps() for use in step.bundles}
    common = [use for step in last.steps() for use in step.bundles if use in uses]
    if isinstance(first, Group) and isinstance(last, Group):
        return f"{_named(first)} comes before {_named(last)}"
    pair = f"{_named(first)} before {_named(last)}"
    if common:
        return f"bundle '{common[0].bundle.name}' has {pair}"
    order = "in this order"
    return f"{pair}, since they were added explicitly {last.origin.clause(order) or order}"


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
