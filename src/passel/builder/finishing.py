"""Finishing the draft of a pipeline before the pipeline is built.

First, the builder inserts the missing cleanups that `followed_by` and `preceded_by` request. Then
the builder drops redundant steps. An idempotent pass is redundant if an equal pass runs before it
and all passes in between preserve all analyses. Several idempotent passes at the start of a bundle
are redundant together if the same sequence of passes runs before the bundle. A pass that a single
call adds twice also runs twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from passel.builder.editing import edited
from passel.builder.snapshot import preserves_all
from passel.builder.steps import Scope, Step, innermost_pipeline, steps_in, walk
from passel.errors import AnchorError, InsertionError
from passel.passes import PassType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from passel.builder.constraints import Rule
    from passel.builder.declarations import DeclarationTable
    from passel.builder.draft import Draft
    from passel.builder.snapshot import Snapshot
    from passel.builder.steps import BundleUse, Node

    Position = tuple[tuple[Scope, ...], int]  # the enclosing scopes, and an index in the innermost


class Remark(NamedTuple):
    """A report of a step that `build` drops or inserts, or a warning about a missing cleanup.

    Attributes:
        kind: The kind of the remark: `dropped`, `inserted` or `warning`.
        label: The label of the dropped or inserted step, or of the step whose cleanup is missing.
            If several steps were dropped or inserted together, the label of the first.
        message: A text that states the change or the problem, and the reason.
    """

    kind: str
    label: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def finish(draft: Draft) -> tuple[Remark, ...]:
    """Insert missing cleanups into a draft, drop redundant steps, and return remarks about both.

    Raises:
        InsertionError: If the draft violates a constraint.
    """
    draft.calls += 1
    remarks = (*_insert_cleanups(draft), *_drop_duplicates(draft))
    for breach in draft.snapshot().breaches.values():
        raise breach
    return remarks


# -- Cleanups --------------------------------------------------------------------------------


def _insert_cleanups(draft: Draft) -> Iterator[Remark]:
    """Insert missing cleanups, and yield a remark for each.

    An inserted cleanup also counts for other steps. The cleanup of `followed_by` is inserted before
    the next pass that shares no type with the step, in the outermost pipeline that accepts the
    cleanup. The cleanup of `preceded_by` is inserted right before the step.
    """
    tried: set[str] = set()
    while True:
        snapshot = draft.snapshot()
        untried = (each for each in snapshot.unfulfilled() if each[0].about(each[1]) not in tried)
        if (request := next(untried, None)) is None:
            return
        rule, step = request
        about = rule.about(step)
        tried.add(about)
        if steps := _insert(rule, step, draft, snapshot):
            what = ", ".join(f"'{each.label}'" for each in steps)
            yield Remark("inserted", steps[0].label, f"{what}, since {about}")
            continue
        side = "after" if rule.constraint.kind == "followed-by" else "before"
        way_out = f"the other constraints allow no position {side} the pass"
        if isinstance(rule.constraint.cleanup, PassType):
            way_out = "there is none: add one"
        yield Remark("warning", step.label, f"{about}, but {way_out}")


def _insert(rule: Rule, step: Step, draft: Draft, snapshot: Snapshot) -> list[Step]:
    """Insert a cleanup at the first valid position, and return its steps, if any."""
    cleanup = rule.constraint.cleanup
    if isinstance(cleanup, PassType):
        return []
    positions = _after if rule.constraint.kind == "followed-by" else _before
    for scopes, index in list(positions(step, draft.around(step), snapshot)):
        try:
            with edited(draft, rule.constraint.origin) as edit:
                item = cleanup() if isinstance(cleanup, type) else cleanup
                nodes = edit.nodes(item, innermost_pipeline(scopes).name)
                edit.put(nodes, edit.scope(scopes[-1].label), index)
        except (AnchorError, InsertionError):
            continue
        return steps_in(nodes)
    return []


def _after(step: Step, around: tuple[Scope, ...], snapshot: Snapshot) -> Iterator[Position]:
    """Yield the positions between a step and the next pass that shares no type with the step.

    Positions in outer pipelines and later positions come first.
    """
    types = set(snapshot.types_of(step))
    for depth, scope in enumerate(around):
        first = last = scope.items.index((*around, step)[depth + 1]) + 1
        for item in scope.items[first:]:
            if any(types.isdisjoint(snapshot.types_of(each)) for each in steps_in([item])):
                break
            last += 1
        yield from ((around[: depth + 1], index) for index in range(last, first - 1, -1))


def _before(step: Step, around: tuple[Scope, ...], _: Snapshot) -> Iterator[Position]:
    """Yield the positions right before a step, innermost first."""
    node: Node = step
    for depth in range(len(around), 0, -1):
        scope = around[depth - 1]
        index = scope.items.index(node)
        yield around[:depth], index
        if index:
            return  # outside, the passes before it would be in between
        node = scope


# -- Duplicates ------------------------------------------------------------------------------


def _drop_duplicates(draft: Draft) -> Iterator[Remark]:
    """Drop redundant steps, and yield a remark for each pass or bundle.

    If a bundle starts with redundant steps, the longest redundant prefix is dropped.
    """
    for nodes in _pipelines(draft.root):
        changing, looking = list[Step](), list[Step]()
        while nodes:
            run = _leading_steps(nodes)
            found = (
                (before[-1], run[:length])
                for length in range(len(run), 0, -1)
                for before in (changing[-length:], *([each] for each in looking))
                if _is_repeated(before, run[:length], draft.declarations)
            )
            before, dropped = next(found, (None, run[:1]))
            del nodes[: len(dropped) or 1]
            if before is not None:
                names = ", ".join(f"'{step.pass_}'" for step in dropped)
                by = f", added by {dropped[0].origin}," if dropped[0].origin.extension else ""
                message = f"{names}{by} would change nothing after '{before.label}'"
                yield Remark("dropped", dropped[0].label, message)
                for each in dropped:
                    draft.take_out(each)
            elif not run:  # a nested pipeline
                changing, looking = [], []
            elif preserves_all(run[0]):
                looking = [*looking, run[0]]
            else:
                changing, looking = [*changing, run[0]], []


def _pipelines(root: Scope) -> Collection[list[Node]]:
    """Return the steps and nested pipelines directly inside each pipeline."""
    streams: dict[Scope, list[Node]] = {}
    for node, around in walk(root.items, (root,)):
        if isinstance(node, Step) or node.kind == "nest":
            streams.setdefault(innermost_pipeline(around), []).append(node)
    return streams.values()


def _leading_steps(nodes: list[Node]) -> list[Step]:
    """Return the leading steps that belong to one bundle, or else the first step."""
    run: list[Step] = []
    for each in nodes:
        if not isinstance(each, Step) or (run and not _shared_uses([*run, each])):
            break
        run.append(each)
    return run


def _is_repeated(before: list[Step], run: list[Step], declarations: DeclarationTable) -> bool:
    """Return whether steps are redundant after equal steps from another call or bundle."""
    if [step.pass_ for step in before] != [step.pass_ for step in run]:
        return False
    first, second = _shared_uses(before), _shared_uses(run)
    if first and second:
        is_intended = first[0] is second[0]
    else:
        is_intended = len(run) > 1 or before[0].call == run[0].call
    if is_intended:
        return False
    return all(declarations.of(step.pass_).idempotent for step in run)


def _shared_uses(steps: list[Step]) -> list[BundleUse]:
    """Return the bundle additions that all steps belong to, innermost first."""
    first, *others = steps
    return [use for use in first.bundles if all(use in each.bundles for each in others)]
