"""Finishing the draft of a pipeline before it is built.

First, missing cleanups are inserted (`followed_by`, `preceded_by`). Then, redundant steps are
dropped: an idempotent pass, or the first passes of a bundle, if equal passes ran before and only
passes that preserve everything have run since. Steps added by one call are kept: a pass that is
added twice in a call runs twice.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from passel.builder.rules import only_looks
from passel.builder.sequence import End, Scope, Step, anchor_of, grouped, steps_in
from passel.errors import AnchorError, InsertionError, Problem
from passel.passes import PassType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from passel.builder.declarations import DeclarationTable
    from passel.builder.draft import Draft
    from passel.builder.rules import Breach
    from passel.builder.sequence import BundleUse, Node, Sequence


class Remark(NamedTuple):
    """A change that building has made to the pipeline.

    Attributes:
        kind: `dropped`, `inserted` or `warning`.
        label: The label of the step.
        message: The change and the reason for it, in a sentence.
    """

    kind: str
    label: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def finish(draft: Draft) -> tuple[Remark, ...]:
    """Prepare a draft for building, and return the changes.

    Raises:
        InsertionError: If a required stage is empty, or a constraint is broken.
    """
    for stage in draft.sequence.stages():
        if stage.is_required and not steps_in(draft.sequence.inside(stage)):
            message = f"stage '{stage.name}' must not be empty: add a pass to it"
            raise InsertionError(Problem(message))
    draft.sequence.calls += 1
    remarks = (*_fulfil_wishes(draft), *_drop_duplicates(draft))
    for breach in draft.rules.breaches.values():
        breach.refuse(breach.step.origin.extension)
    return remarks


# -- Cleanups --------------------------------------------------------------------------------


def _fulfil_wishes(draft: Draft) -> Iterator[Remark]:
    """Insert the missing cleanups that steps ask for.

    One insertion serves all steps whose wish it fulfills. A following cleanup is put before the
    next pass of another type, in the outermost pipeline that accepts it; a preceding one, right
    before the step.
    """
    tried: set[str] = set()
    while True:
        wishes = [w for w in draft.rules.unfulfilled() if w.about not in tried]
        if not wishes:
            return
        rank = draft.rules.rank
        wish = min(wishes, key=lambda each: (str(each.rule.constraint), rank[each.step]))
        tried.add(wish.about)
        if steps := _inserted(wish, draft):
            what = ", ".join(f"'{each.label}'" for each in steps)
            yield Remark("inserted", steps[0].label, f"{what}, since {wish.about}")
            continue
        is_type = isinstance(wish.rule.constraint.cleanup, PassType)
        side = "after" if wish.rule.constraint.kind == "followed-by" else "before"
        way_out = "add one" if is_type else f"no position {side} it satisfies the other constraints"
        yield Remark("warning", wish.step.label, f"{wish.about}, but is not: {way_out}")


def _inserted(wish: Breach, draft: Draft) -> list[Step]:
    """Insert a cleanup at the first valid position, and return its steps, if any."""
    cleanup = wish.rule.constraint.cleanup
    if isinstance(cleanup, PassType):
        return []
    for position in list(_places(wish, draft)):
        try:
            with draft.edit(wish.rule.constraint.origin) as edit:
                item = cleanup() if isinstance(cleanup, type) else cleanup
                anchor = anchor_of(draft.sequence.scopes_at(position))
                entries = edit.entries(item, anchor)
                edit.put(entries, position)
        except (AnchorError, InsertionError):
            continue
        return steps_in(entries)
    return []


def _places(wish: Breach, draft: Draft) -> Iterator[int]:
    """Yield candidate positions for a cleanup, the best first."""
    sequence, step = draft.sequence, wish.step
    start, _ = sequence.extent(step)
    around = sequence.scopes_at(start)
    if wish.rule.constraint.kind == "followed-by":
        types = set(draft.rules.types_of(step))
        for scope in (each for each in around if each.kind != "bundle"):
            yield from reversed(_ends_after(step, scope, types, draft))
        return
    for scope in reversed(around):
        if scope.kind != "bundle":
            yield start
        if scope is sequence.root or sequence.entries[start - 1] is not scope:
            return  # outside, the passes before it would be in between
        start -= 1


def _ends_after(step: Step, scope: Scope, types: set[PassType], draft: Draft) -> list[int]:
    """Return the positions in a scope after a step, up to the first pass of another type."""
    inside = draft.sequence.inside(scope)
    position, found = draft.sequence.end(scope) - len(inside), list[int]()
    for group in grouped(inside):
        steps = steps_in(group)
        if found and any(types.isdisjoint(draft.rules.types_of(each)) for each in steps):
            break
        position += len(group)
        if found or step in steps:
            found.append(position)
    return found


# -- Duplicates ------------------------------------------------------------------------------


def _drop_duplicates(draft: Draft) -> Iterator[Remark]:
    """Drop redundant steps, and yield a remark for each.

    For a bundle, the longest prefix that has just run is dropped.
    """
    sizes = Counter(use for step in draft.rules.steps for use in step.bundles)
    for nodes in _streams(draft.sequence):
        ran, changing, looking = list[Step](), list[Step](), list[Step]()
        place = 0
        while place < len(nodes):
            run = _together(nodes[place : place + len(ran) + 1])
            if not run:  # a nested pipeline
                place, ran, changing, looking = place + 1, [], [], []
                continue
            found = (
                (before[-1], run[:length])
                for length in range(len(run), 0, -1)
                for before in (ran[-length:], changing[-length:], *([each] for each in looking))
                if _is_repeated(before, run[:length], sizes, draft.declarations)
            )
            before, dropped = next(found, (None, run[:1]))
            place += len(dropped)
            if before is not None:
                yield Remark("dropped", dropped[0].label, _message(before, dropped, sizes))
                for each in dropped:
                    draft.sequence.take_out(each)
                draft.forget()
                continue
            ran += dropped
            if only_looks(run[0]):
                looking += dropped
            else:
                changing.append(run[0])
                looking = []


def _together(nodes: list[Node]) -> list[Step]:
    """Return the leading steps that belong to one bundle, or else the first step."""
    run: list[Step] = []
    for each in nodes:
        if not isinstance(each, Step) or (run and not _in_common([*run, each])):
            break
        run.append(each)
    return run


def _is_repeated(
    before: list[Step],
    run: list[Step],
    sizes: Mapping[BundleUse, int],
    declarations: DeclarationTable,
) -> bool:
    """Return whether a run only repeats an equal earlier run that another call has added."""
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
    """Return the bundle additions that all of the steps belong to, the innermost first."""
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


def _streams(sequence: Sequence) -> Iterable[list[Node]]:
    """Return the contents of each pipeline: steps, and each nested pipeline as one node."""
    streams: dict[Scope, list[Node]] = {sequence.root: []}
    around = [sequence.root]
    for entry in sequence.entries:
        if isinstance(entry, Step):
            streams[around[-1]].append(entry)
        elif isinstance(entry, Scope) and entry.kind == "nest":
            streams[around[-1]].append(entry)
            streams[entry] = []
            around.append(entry)
        elif isinstance(entry, End) and entry.scope is around[-1]:
            around.pop()
    return streams.values()
