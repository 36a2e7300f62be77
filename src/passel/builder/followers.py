"""Weak constraints: cleanups that steps should be followed by, inserted when nothing does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.builder.constraints import FollowedBy
from passel.builder.finishing import Remark
from passel.builder.sequence import Group
from passel.errors import AnchorError, InsertionError
from passel.passes import PassType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.items import Normalizer
    from passel.builder.rules import Rule, Rules
    from passel.builder.sequence import Container, Node, Sequence, Step


def insert_followers(sequence: Sequence, rules: Rules, normalizer: Normalizer) -> Iterator[Remark]:
    """Insert what steps should be followed by and are not, as late as constraints allow.

    One insertion does for all steps before it. Each is in the outermost pipeline where it can be.

    Args:
        sequence: The sequence, which is changed.
        rules: The constraints.
        normalizer: Makes items.
    """
    for wished in _wishes(rules).values():
        open_ones = _unfollowed(wished, rules)
        while open_ones:
            rule, step = open_ones.pop()
            nodes = _insert_late(rule, step, sequence, rules, normalizer)
            if nodes:
                what = ", ".join(f"'{each.label}'" for node in nodes for each in node.steps())
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
    scope = rules.scope()
    found = [
        (rule, step)
        for rule, step in wished
        if not any(o.rank > step.rank for o in scope.others(rule.constraint.targets[0], step))
    ]
    return sorted(found, key=lambda pair: pair[1].rank)


def _insert_late(
    rule: Rule, step: Step, sequence: Sequence, rules: Rules, normalizer: Normalizer
) -> list[Node]:
    """Insert a cleanup after a step, as late as possible, and return it; or nothing."""
    cleanup = _cleanup(rule)
    if isinstance(cleanup, PassType):
        return []
    for container, first in reversed(list(_enclosing(step))):
        if isinstance(container, Group) and container.is_closed:
            continue
        for index in range(len(container.items), first - 1, -1):
            rules.forget_touched()
            try:
                with sequence.change():
                    nodes = normalizer.nodes(cleanup, container, rule.constraint.origin)
                    for offset, node in enumerate(nodes):
                        sequence.link(node, container, index + offset)
                    rules.check_touched()
            except AnchorError:
                break
            except InsertionError:
                continue
            return nodes
    return []


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
