"""Finishing a copy of the steps of a pipeline that is built, in this order.

Conditions are applied, and stages get their defaults. Cleanups that steps should be followed by
are inserted where nothing does. What need not run again is dropped: a pass that is declared
idempotent, and a bundle of such passes, where an equal one ran before and nothing but passes that
preserve everything has run since. What one call has added stays: a pass that is asked for twice
runs twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.analysis import AllAnalyses
from passel.builder.conditions import holds
from passel.builder.constraints import FollowedBy
from passel.builder.sequence import Group, Nest, Step, steps_of
from passel.errors import AnchorError, InsertionError, Problem
from passel.passes import PassType
from passel.passes.preservation import preserved_by, preserves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from passel.builder.declarations import DeclarationTable
    from passel.builder.items import Normalizer
    from passel.builder.order import Order
    from passel.builder.rules import Rule, Rules
    from passel.builder.sequence import Container, Node, Sequence


class Remark(NamedTuple):
    """Something that building a pipeline has done to it.

    Attributes:
        kind: `dropped`, `inserted` or `warning`.
        label: The label of the step.
        message: What and why, in a sentence.
    """

    kind: str
    label: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def finish(sequence: Sequence, variables: Mapping[str, Any]) -> list[Remark]:
    """Make a sequence ready to be built, and return what was done to it.

    Args:
        sequence: The sequence, which is changed.
        variables: The values that conditions ask for.

    Raises:
        InsertionError: A required stage is empty, or a condition asks for a variable that is
            not set.
    """
    remarks: list[Remark] = []
    for item in list(_items(sequence.root)):
        if item.parent is not None:
            remarks += _apply_conditions(sequence, item, variables)
    for item in list(_items(sequence.root)):
        if isinstance(item, Group):
            _fill(sequence, item)
    return remarks


def _apply_conditions(
    sequence: Sequence, item: Node, variables: Mapping[str, Any]
) -> Iterator[Remark]:
    if isinstance(item, Step) and not item.enabled:
        yield Remark("dropped", item.label, f"'{item.label}' is disabled")
        sequence.unlink(item)
        return
    for condition in item.conditions:
        if not holds(condition, variables, item.label):
            what = (
                condition
                if isinstance(condition, str)
                else getattr(condition, "__qualname__", condition)
            )
            yield Remark("dropped", item.label, f"'{item.label}' runs only if {what}")
            sequence.unlink(item)
            return


def _fill(sequence: Sequence, stage: Group) -> None:
    if any(True for _ in stage.steps()):
        return
    for item in stage.default:
        sequence.append(item.copy(), stage)
    if stage.is_required and not stage.items:
        message = f"stage '{stage.name}' has to be filled, but nothing would run in it"
        raise InsertionError(Problem(message))


def _items(container: Container) -> Iterator[Node]:
    for item in container.items:
        yield item
        if not isinstance(item, Step):
            yield from _items(item)


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


Run: TypeAlias = "list[Step]"
"""Consecutive steps that are dropped together or not at all."""


def drop_duplicates(sequence: Sequence, declarations: DeclarationTable) -> Iterator[Remark]:
    """Drop what would change nothing, and yield what was dropped.

    Args:
        sequence: The sequence, which is changed.
        declarations: What is declared of passes.
    """
    for by_bundle in (True, False):
        for nest in list(_nests(sequence.root)):
            before: list[Run] = []  # what may still make a run unnecessary
            for run in list(_runs(nest, by_bundle=by_bundle)):
                first = next(
                    (each for each in before if _is_repeated(each, run, declarations)), None
                )
                if first is not None:
                    yield Remark("dropped", run[0].label, _message(first, run))
                    for step in run:
                        sequence.unlink(step)
                elif run and _changes_nothing(run, declarations):
                    before.append(run)
                else:
                    before = [run] if run else []


def _changes_nothing(run: Run, declarations: DeclarationTable) -> bool:
    """Return whether passes only look at the IR, whatever their options run."""
    passes = [step.pass_ for step in run]
    return preserves(preserved_by(passes, declarations), AllAnalyses)


def _is_repeated(before: Run, run: Run, declarations: DeclarationTable) -> bool:
    """Return whether a run changes nothing after the one before, and was not asked for twice."""
    if [step.pass_ for step in before] != [step.pass_ for step in run]:
        return False
    first, second = before[0], run[0]
    if len(run) > 1 or (first.bundles and second.bundles):
        was_asked_twice = first.bundles[0] is second.bundles[0]
    else:
        was_asked_twice = first.call == second.call
    if was_asked_twice:
        return False
    declared = second.bundles[0].bundle.idempotent if len(run) > 1 else None
    if declared is not None:
        return declared
    return all(declarations.of(step.pass_).idempotent for step in run)


def _message(before: Run, run: Run) -> str:
    bundles = run[0].bundles
    what = f"bundle '{bundles[0].bundle.name}'" if len(run) > 1 else f"'{run[0].pass_}'"
    by = f", added by {run[0].origin}," if run[0].origin.extension else ""
    return f"{what}{by} changes nothing after '{before[-1].label}'"


def _runs(nest: Nest, *, by_bundle: bool) -> Iterator[Run]:
    """Yield the steps of a nest in runs: all of a bundle, or each alone; none for a nest inside."""
    run: Run = []
    for item in _flat(nest):
        if isinstance(item, Nest):
            yield run
            run = []
        elif run and by_bundle and item.bundles and item.bundles[:1] == run[-1].bundles[:1]:
            run.append(item)
        else:
            yield run
            run = [item]
    yield run


def _flat(container: Container) -> Iterator[Step | Nest]:
    for item in container.items:
        if isinstance(item, Group):
            yield from _flat(item)
        else:
            yield item


def _nests(container: Container) -> Iterator[Nest]:
    if isinstance(container, Nest):
        yield container
    for item in container.items:
        if not isinstance(item, Step):
            yield from _nests(item)
