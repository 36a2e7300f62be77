"""Finishing the draft of a pipeline that is built, in this order.

Cleanups that steps should be followed by or preceded by are inserted where they are missing. What
need not run again is dropped: a pass that is declared idempotent, or several that a bundle begins
with, where equal ones ran before and nothing but passes that preserve everything has run since.
What one call has added stays: a pass that is asked for twice runs twice.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from passel.builder.rules import only_looks
from passel.builder.sequence import Group, Nest, Step, is_block, steps_of
from passel.errors import AnchorError, InsertionError, Problem
from passel.passes import PassType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from passel.builder.declarations import DeclarationTable
    from passel.builder.draft import Draft
    from passel.builder.positions import Positions
    from passel.builder.rules import Breach
    from passel.builder.sequence import BundleUse, Container, Item, Node


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


def finish(draft: Draft) -> tuple[Remark, ...]:
    """Make a draft ready to be built, and return what was done to it.

    Raises:
        InsertionError: A stage that is required is empty, or a constraint is broken.
    """
    for stage in draft.sequence.stages():
        if stage.is_required and not any(stage.steps()):
            message = f"stage '{stage.name}' has to be filled, but nothing would run in it"
            raise InsertionError(Problem(message))
    draft.sequence.calls += 1
    remarks = (*_fulfil_wishes(draft), *_drop_duplicates(draft))
    for breach in draft.rules.breaches.values():
        breach.refuse(breach.step.origin.extension)
    return remarks


# -- Cleanups --------------------------------------------------------------------------------


def _fulfil_wishes(draft: Draft) -> Iterator[Remark]:
    """Insert what steps should be followed or preceded by and are not.

    One insertion does for all steps that it fulfils a wish of. What follows stands before the next
    pass of another type, in the outermost pipeline where it can be; what precedes, right before
    the step.
    """
    tried: set[str] = set()
    while True:
        wishes = [w for w in draft.rules.unfulfilled() if w.about not in tried]
        if not wishes:
            return
        rank = draft.positions.rank
        wish = min(wishes, key=lambda each: (str(each.rule.constraint), rank[each.step]))
        tried.add(wish.about)
        nodes = _inserted(wish, draft)
        if nodes:
            what = ", ".join(f"'{each.label}'" for each in steps_of(nodes))
            yield Remark("inserted", nodes[0].label, f"{what}, since {wish.about}")
            continue
        is_type = isinstance(wish.rule.constraint.cleanup, PassType)
        side = "after" if wish.rule.constraint.kind == "followed-by" else "before"
        way_out = "add one" if is_type else f"no place {side} it keeps the other constraints"
        yield Remark("warning", wish.step.label, f"{wish.about}, and is not: {way_out}")


def _inserted(wish: Breach, draft: Draft) -> list[Node]:
    """Insert a cleanup at the first place that is good, and return it; or nothing."""
    cleanup = wish.rule.constraint.cleanup
    if isinstance(cleanup, PassType):
        return []
    for label, places in list(_places(wish, draft.positions)):
        for index in places:
            try:
                with draft.edit(wish.rule.constraint.origin) as edit:
                    container = edit.container(label)
                    item = cleanup() if isinstance(cleanup, type) else cleanup
                    edit.put(edit.nodes(item, container), container, index)
            except AnchorError:
                break
            except InsertionError:
                continue
            return edit.added
    return []


def _places(wish: Breach, positions: Positions) -> Iterator[tuple[str, Iterable[int]]]:
    """Yield the labels of containers that a cleanup may be put into, with places, the best first.

    A pipeline without a label is the outermost.
    """
    item: Item = wish.step
    follows = wish.rule.constraint.kind == "followed-by"
    found: list[tuple[str, Iterable[int]]] = []
    for container in wish.step.enclosing():
        here = container.index(item)
        if not is_block(container):
            end = _end_of_types(wish.step, container.items, here + 1, positions)
            found.append((container.label, range(end, here, -1) if follows else (here,)))
        if here and not follows:
            break  # further out, what is before it here would be between
        item = container
    return reversed(found) if follows else iter(found)


def _end_of_types(step: Step, items: list[Node], start: int, positions: Positions) -> int:
    """Return the place of the first item from a start with a pass of none of a step's types."""
    types = set(positions.types_of(step))
    for place, item in enumerate(items[start:], start):
        if any(types.isdisjoint(positions.types_of(each)) for each in item.steps()):
            return place
    return len(items)


# -- Duplicates ------------------------------------------------------------------------------


def _drop_duplicates(draft: Draft) -> Iterator[Remark]:
    """Drop what would change nothing, and yield what was dropped.

    Of what a bundle begins with, the longest part that has just run is dropped.
    """
    root = draft.sequence.root
    sizes = Counter(use for step in root.steps() for use in step.bundles)
    for nest in [root, *(each for each in root.inner() if isinstance(each, Nest))]:
        ran: list[Step] = []  # since the last nested pipeline
        steps = list(_flat(nest))
        while steps:
            if isinstance(steps[0], Nest):
                del steps[0]
                ran = []
                continue
            before, run = _repeated(ran, steps, sizes, draft.declarations)
            if before is None:
                ran += run
            else:
                yield Remark("dropped", run[0].label, _message(before, run, sizes))
                for each in run:
                    draft.sequence.unlink(each)
                draft.forget()
            del steps[: len(run)]


def _repeated(
    ran: list[Step],
    steps: list[Step | Nest],
    sizes: Mapping[BundleUse, int],
    declarations: DeclarationTable,
) -> tuple[Step | None, list[Step]]:
    """Return the longest run that comes next and changes nothing, and the step it repeats.

    If there is none, it is the next step alone.
    """
    run: list[Step] = []
    for each in steps[: len(ran) or 1]:
        if not isinstance(each, Step) or (run and not _in_common([*run, each])):
            break
        run.append(each)
    changing = [step for step in ran if not only_looks(step)]
    looking = ran[ran.index(changing[-1]) + 1 :] if changing else ran
    for length in range(len(run), 0, -1):
        alone = [[each] for each in looking] if length == 1 else []
        for before in (ran[-length:], changing[-length:], *alone):
            if _is_repeated(before, run[:length], sizes, declarations):
                return before[-1], run[:length]
    return None, run[:1]


def _is_repeated(
    before: list[Step],
    run: list[Step],
    sizes: Mapping[BundleUse, int],
    declarations: DeclarationTable,
) -> bool:
    """Return whether a run changes nothing after an equal one, and was not asked for twice."""
    if [step.pass_ for step in before] != [step.pass_ for step in run]:
        return False
    first, second = _in_common(before), _in_common(run)
    if len(run) > 1 or (first and second):
        was_asked_twice = not first or not second or first[0] is second[0]
    else:
        was_asked_twice = before[0].call == run[0].call
    if was_asked_twice:
        return False
    declared = second[0].bundle.idempotent if len(run) > 1 else None
    if declared is not None and (not declared or len(run) == sizes[second[0]]):
        return declared
    return all(declarations.of(step.pass_).idempotent for step in run)


def _in_common(steps: list[Step]) -> list[BundleUse]:
    """Return the additions of bundles that all of some steps are of, the innermost first."""
    first, *others = steps
    return [use for use in first.bundles if all(use in each.bundles for each in others)]


def _message(before: Step, run: list[Step], sizes: Mapping[BundleUse, int]) -> str:
    by = f", added by {run[0].origin}," if run[0].origin.extension else ""
    if len(run) == 1:
        what = f"'{run[0].pass_}'"
    elif len(run) == sizes[_in_common(run)[0]]:
        what = _in_common(run)[0].bundle.title
    else:
        passes = " and ".join(f"'{step.pass_}'" for step in run)
        what = f"{passes} of {_in_common(run)[0].bundle.title}"
    verb = "change" if " and " in what else "changes"
    return f"{what}{by} {verb} nothing after '{before.label}'"


def _flat(container: Container) -> Iterator[Step | Nest]:
    for item in container.items:
        if isinstance(item, Group):
            yield from _flat(item)
        else:
            yield item
