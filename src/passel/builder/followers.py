"""Weak constraints: cleanups that steps should be followed by, inserted when nothing does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.builder.constraints import FollowedBy
from passel.builder.finishing import Remark
from passel.builder.sequence import Group, steps_of
from passel.errors import AnchorError
from passel.passes import PassType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.items import Normalizer
    from passel.builder.order import Order
    from passel.builder.rules import Rule, Rules
    from passel.builder.sequence import Container, Node, Sequence, Step


def insert_followers(sequence: Sequence, order: Order, normalizer: Normalizer) -> Iterator[Remark]:
    """Insert what steps should be followed by and are not, as late as constraints allow.

    One insertion does for all steps before it. Each is in the outermost pipeline where it can be.

    Args:
        sequence: The sequence, which is changed.
        order: Knows the constraints.
        normalizer: Makes items.
    """
    for wished in _wishes(order.rules(sequence)).values():
        for rule, step in reversed(_unfollowed(wished, order.rules(sequence))):
            nodes = _insert_late(rule, step, sequence, order, normalizer)
            if nodes:
                what = ", ".join(f"'{each.label}'" for each in steps_of(nodes))
                yield Remark("inserted", nodes[0].label, f"{what}, since {rule.about(step)}")
                break
            is_type = isinstance(_cleanup(rule), PassType)
            way_out = "add one" if is_type else "no place after it keeps the other constraints"
            yield Remark("warning", step.label, f"{rule.about(step)}, and is not: {way_out}")


def _wishes(rules: Rules) -> dict[str, list[tuple[Rule, Step]]]:
    """Return the weak constraints by what they wish for, in an order of their own."""
    found: dict[str, list[tuple[Rule, Step]]] = {}
    for rule, step in rules.all():
        if isinstance(rule.constraint, FollowedBy):
            found.setdefault(str(rule.constraint), []).append((rule, step))
    return dict(sorted(found.items()))


def _unfollowed(wished: list[tuple[Rule, Step]], rules: Rules) -> list[tuple[Rule, Step]]:
    """Return those that nothing follows, in the order in which they run."""
    found = [
        (rule, step)
        for rule, step in wished
        if not any(o.rank > step.rank for o in rules.others(rule.constraint.targets[0], step))
    ]
    return sorted(found, key=lambda pair: pair[1].rank)


def _insert_late(
    rule: Rule, step: Step, sequence: Sequence, order: Order, normalizer: Normalizer
) -> list[Node]:
    """Insert a cleanup after a step, as late as possible, and return it; or nothing."""
    cleanup = _cleanup(rule)
    if isinstance(cleanup, PassType):
        return []
    known = {each.about for each in order.rules(sequence).broken()}
    for container, first in reversed(list(_enclosing(step))):
        if isinstance(container, Group) and container.is_closed:
            continue
        for index in range(len(container.items), first - 1, -1):
            tried = sequence.copy()
            try:
                _insert(cleanup, rule, tried, container.label, index, normalizer)
            except AnchorError:
                break
            if all(each.about in known for each in order.rules(tried).broken()):
                return _insert(cleanup, rule, sequence, container.label, index, normalizer)
    return []


def _insert(
    cleanup: object, rule: Rule, sequence: Sequence, label: str, index: int, normalizer: Normalizer
) -> list[Node]:
    """Insert a cleanup into the container of a label."""
    container = sequence.container(label)
    assert container is not None  # noqa: S101 - it is there
    nodes = normalizer.nodes(cleanup, container, rule.constraint.origin)
    for offset, node in enumerate(nodes):
        sequence.link(node, container, index + offset)
    return nodes


def _enclosing(step: Step) -> Iterator[tuple[Container, int]]:
    """Yield the enclosing containers of a step, and in each the place right after it."""
    item: Node | Container = step
    while (container := item.parent) is not None:
        yield container, next(n for n, each in enumerate(container.items) if each is item) + 1
        item = container


def _cleanup(rule: Rule) -> object:
    assert isinstance(rule.constraint, FollowedBy)  # noqa: S101 - it is a weak one
    cleanup: object = rule.constraint.cleanup
    return cleanup() if isinstance(cleanup, type) else cleanup
