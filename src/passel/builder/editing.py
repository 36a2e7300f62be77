"""One change of a builder's sequence: adding, placing, inserting, replacing and removing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from passel.builder.sequence import (
    BundleUse,
    End,
    Removal,
    Scope,
    anchor_of,
    entries_of,
    grouped,
    steps_in,
)
from passel.builder.targets import Bundle, Handle, Origin, Stage, describe, keys_of
from passel.errors import AnchorError, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.builder.rules import Positions, Unit
    from passel.builder.sequence import Entry, Node, Sequence
    from passel.builder.targets import Occurrence, Target
    from passel.diagnostics import Span
    from passel.manager import PassManager
    from passel.pipeline import ElementNode

Items: TypeAlias = "tuple[object, ...]"
"""Arguments of inserting methods: as for `OpPassManager.add`, or bundles."""


class Edit:
    """One change of a sequence.

    Args:
        sequence: The sequence to change.
        positions: The positions of steps before the change.
        template: An empty manager with the registry for names.
        origin: The author and place of the change.

    Attributes:
        added: The new entries, without their contents.
        placed: Whether the constraints decide their positions.
    """

    def __init__(
        self, sequence: Sequence, positions: Positions, template: PassManager, origin: Origin
    ) -> None:
        self.sequence: Sequence = sequence
        self.origin: Origin = origin
        self.added: list[Node] = []
        self.placed: bool = False
        self._positions = positions
        self._template = template

    @property
    def handle(self) -> Handle:
        """A handle to the new steps."""
        return Handle(tuple(node.label for node in self.added))

    # -- Adding -----------------------------------------------------------------------------

    def entries(self, item: object, anchor: str) -> list[Entry]:
        """Return entries for an item that a user adds to a pipeline.

        Raises:
            PipelineError: If the text is invalid, or a pass has another anchor.
        """
        if isinstance(item, Bundle):
            inner = [entry for each in item.members for entry in self.entries(each, anchor)]
            _mark(inner, BundleUse(item))
            return Scope("bundle", item.name, self.origin).around(inner) if item.together else inner
        if hasattr(item, "insert_before"):  # callable like a pipeline, but not one
            raise TypeError(
                "a builder is not a pass; register it as a pipeline and add the pipeline by name"
            )
        manager = self._template.copy().nest(anchor).add(item)  # pyright: ignore[reportArgumentType] - which refuses others
        return list(entries_of(manager, self.origin))

    def put(self, entries: Iterable[Entry], position: int, label: str = "") -> None:
        """Put entries before a position; a label requires a single entry."""
        self.added += self.sequence.put(entries, position, label)

    def append(self, items: Items, scope: Scope, label: str = "") -> None:
        """Append items to a scope; raises the errors of `PipelineBuilder.add`."""
        anchor = self._anchor(scope)
        self._put_labelled([(scope, self.entries(each, anchor)) for each in items], items, label)

    def append_element(self, element: ElementNode, span: Span) -> None:
        """Append an element of a pipeline file.

        Args:
            element: The element.
            span: Its place in the file.
        """
        self.origin = Origin("", span.source.name, span.line)
        entries = self.entries(element, self.sequence.root.name)
        for step in steps_in(entries):
            if step.span is None or step.span.source != span.source:
                step.span = span  # its text is in no file
        self.put(entries, len(self.sequence.entries))

    def place(self, items: Items, home: Scope, label: str) -> None:
        """Put each item into a pipeline, or into the first nested one that its anchor allows.

        The constraints decide its position there.

        Raises:
            AnchorError: If an item's anchor fits none of these pipelines.
        """
        blocked = 0
        scopes = [home]
        for entry in self.sequence.inside(home):
            if isinstance(entry, Scope):
                blocked += entry.kind == "bundle"
                scopes += [entry] if entry.kind == "nest" and not blocked else []
            elif isinstance(entry, End):
                blocked -= entry.scope.kind == "bundle"
        self._put_labelled([self._fitting(each, scopes) for each in items], items, label)
        self.placed = True

    def _put_labelled(
        self, places: list[tuple[Scope, list[Entry]]], items: Items, label: str
    ) -> None:
        """Put entries at the ends of scopes; the label names the entry, or a bundle of several.

        Raises:
            InsertionError: If the label is taken.
        """
        if label and self._positions.units(label):
            raise InsertionError(Problem(f"there is already an item with the label '{label}'"))
        added = [group for _, inside in places for group in grouped(inside)]
        if label and len(added) > 1:
            use, label = BundleUse(Bundle(label, *items)), ""
            for group in added:
                _mark(group, use)
        for scope, inside in places:
            self.put(inside, self.sequence.end(scope), label)

    def _anchor(self, scope: Scope) -> str:
        """Return the name of the ops that passes in a scope run on."""
        if scope.kind == "nest":
            return scope.name
        return anchor_of(self.sequence.scopes_at(self.sequence.end(scope)))

    def _fitting(self, item: object, scopes: Iterable[Scope]) -> tuple[Scope, list[Entry]]:
        """Return the first scope that accepts an item, and the entries to put there.

        Raises:
            AnchorError: If no scope accepts it.
        """
        refused: AnchorError | None = None
        for scope in scopes:
            try:
                return scope, self.entries(item, self._anchor(scope))
            except AnchorError as error:
                refused = refused or error
        assert refused is not None  # noqa: S101 - there is one scope at least
        raise refused

    def add_stage(self, name: str, default: Items, scope: Scope, *, required: bool) -> None:
        """Append a stage; raises the errors of `PipelineBuilder.stage`."""
        if self._positions.units(Stage(name)):
            raise InsertionError(Problem(f"there is already a stage '{name}'"))
        anchor = self._anchor(scope)
        inner = [entry for item in default for entry in self.entries(item, anchor)]
        for step in steps_in(inner):
            step.is_default = True
        for each, inside in ((f"pre_{name}", []), (name, inner), (f"post_{name}", [])):
            is_required = required and each == name
            stage = Scope("stage", each, self.origin, f"stage {each}", is_required=is_required)
            self.sequence.put(stage.around(inside), self.sequence.end(scope))

    # -- Next to something, or instead ------------------------------------------------------

    def insert(
        self, target: Target, items: Items, occurrence: Occurrence, *, after: bool, split: bool
    ) -> None:
        """Put items next to a target; raises the errors of `PipelineBuilder.insert_before`."""
        for unit in self._select(target, occurrence):
            self._put_beside(unit, items, after=after, split=split)
            if by := self.origin.extension:
                self.sequence.users += tuple(
                    (step.label, by) for step in self.sequence.steps_of(unit)
                )
        side = "after" if after else "before"
        for step in self.sequence.steps_of(self.added):
            step.because = (f"it was inserted {side} {describe(target)}",)

    def replace(self, target: Target, items: Items, occurrence: Occurrence) -> None:
        """Put items in place of a target; raises the errors of `PipelineBuilder.replace`."""
        for unit in self._select(target, occurrence):
            self._put_beside(unit, items, after=False, split=False)
            self._take_out(unit, describe(target))

    def remove(self, target: Target, occurrence: Occurrence, *, missing_ok: bool) -> None:
        """Remove a target; raises the errors of `PipelineBuilder.remove`."""
        for unit in self._positions.select(target, occurrence, missing_ok=missing_ok):
            self._take_out(unit, describe(target))

    def _put_beside(self, unit: Unit, items: Items, *, after: bool, split: bool) -> None:
        """Put items right before or after a unit, in the innermost pipeline that accepts them.

        Raises:
            InsertionError: If a pipeline would have to be split.
            AnchorError: If no enclosing pipeline of the unit accepts them.
        """
        target = unit[-1] if after else unit[0]
        found: list[list[Node]] = []
        side = f"{'after' if after else 'before'} '{target.label}'"
        for each in items[::-1] if after else items:  # the last insertion is the nearest
            position = self.sequence.extent(target)[after]
            around = self.sequence.scopes_at(position)
            able = (scope for scope in reversed(around) if scope.kind != "bundle")
            scope, entries = self._fitting(each, able)
            position = self._room(position, scope, f"'{each}'", side, split=split)
            found.append(self.sequence.put(entries, position))
        self.added += (node for nodes in (found[::-1] if after else found) for node in nodes)

    def _room(self, position: int, outer: Scope, item: str, side: str, *, split: bool) -> int:
        """Return the position in an outer scope next to a position further inside.

        Raises:
            InsertionError: If a bundle, a stage or, without `split`, a pipeline would have to be
                split.
        """
        entries = self.sequence.entries
        while (scope := self.sequence.scopes_at(position)[-1]) is not outer:
            start, stop = self.sequence.extent(scope)
            if position == start + 1:
                position = start
            elif position == stop - 1:
                position = stop
            elif scope.kind != "nest":
                raise InsertionError(
                    Problem(
                        f"nothing can be inserted {side}, which is inside {scope.kind} "
                        f"'{scope.name}'; insert it before or after the {scope.kind}"
                    )
                )
            elif not split:
                where, _, target = side.partition(" ")
                raise InsertionError(
                    Problem(
                        f"{item} cannot be nested in the pipeline on '{scope.name}' with "
                        f"{target}, and a position {where} that outside would split the "
                        "pipeline; allow this with split=True, or choose another target"
                    )
                )
            else:
                rest = Scope("nest", scope.name, scope.origin, jobs=scope.jobs)
                entries[stop - 1] = End(rest)
                self.sequence.put([End(scope), rest], position)
                position += 1
        return position

    # -- Finding ----------------------------------------------------------------------------

    def nest(self, label: str) -> Scope:
        """Return the pipeline with a label; without a label, the outermost one.

        Raises:
            InsertionError: If the pipeline was removed.
        """
        node = self._positions.labelled(label) if label else self.sequence.root
        if not isinstance(node, Scope):
            raise InsertionError(Problem(f"the nested pipeline '{label}' no longer exists"))
        return node

    def stage(self, name: str) -> Scope:
        """Return a stage, ready for items that replace its default.

        Raises:
            InsertionError: If there is no such stage, or another extension relies on its default.
        """
        ((stage,),) = self._positions.select(Stage(name), "first")
        assert isinstance(stage, Scope)  # noqa: S101 - for type checkers
        steps = self.sequence.steps_of([stage])
        if steps and all(step.is_default for step in steps):
            children = grouped(self.sequence.inside(stage))
            self._take_out([each[0] for each in children], f"the default of stage '{name}'")
        return stage

    def _select(self, target: Target, occurrence: Occurrence) -> list[Unit]:
        """Return the units of a target; the error for removed units names who removed them."""
        try:
            return self._positions.select(target, occurrence)
        except InsertionError:
            for removal in self.sequence.removals:
                by = removal.extension
                if not removal.keys.isdisjoint(keys_of(target)) and by != self.origin.extension:
                    who = f"extension '{by}'" if by else "the framework"
                    message = f"{describe(target)} is not in the pipeline: {who} removed it"
                    raise InsertionError(Problem(message)) from None
            raise

    def _take_out(self, unit: Unit, what: str) -> None:
        """Remove nodes, unless another extension relies on them.

        Raises:
            InsertionError: If another extension relies on them.
        """
        extension = self.origin.extension
        for step in self.sequence.steps_of(unit):
            for label, user in self.sequence.users:
                if label == step.label and extension and user != extension:
                    message = (
                        f"extensions '{user}' and '{extension}' conflict: one inserts a pass next "
                        f"to {what}, the other removes {what}"
                    )
                    raise InsertionError(Problem(message))
            removal = Removal(frozenset(self._positions.keys(step)), extension)
            self.sequence.removals = (*self.sequence.removals, removal)
        for node in unit:
            self.sequence.take_out(node)


def _mark(entries: Iterable[Entry], use: BundleUse) -> None:
    """Record that steps belong to a bundle."""
    for step in steps_in(entries):
        step.bundles = (*step.bundles, use)
