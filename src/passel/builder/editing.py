"""Changes to a builder: adding, placing, inserting and removing steps.

`edited` applies a change and checks the constraints. If the change violates a constraint that was
satisfied before, the change is undone.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from passel.builder.ordering import ordered
from passel.builder.steps import (
    Bundle,
    BundleUse,
    Handle,
    Origin,
    Scope,
    Stage,
    caller,
    describe,
    innermost_pipeline,
    nodes_of,
    steps_in,
    walk,
)
from passel.errors import AnchorError, InsertionError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from passel.builder.draft import Draft
    from passel.builder.snapshot import Match, Snapshot
    from passel.builder.steps import Node, Occurrence, Target
    from passel.diagnostics import Span
    from passel.pipeline import ElementNode

Items: TypeAlias = "tuple[object, ...]"
"""The items to insert: bundles, or passes in any form that `OpPassManager.add` accepts."""


@contextmanager
def edited(draft: Draft, origin: Origin | None = None) -> Generator[Edit]:
    """Run a `with` block that changes a draft, then check the constraints.

    Args:
        draft: The draft to change. If the block raises an exception, the draft is restored.
        origin: The extension and source location to record for the change; by default, those of the
            code that called the builder.

    Raises:
        InsertionError: If the change violates a constraint that was satisfied before.
    """
    with draft.all_or_nothing():
        snapshot = draft.snapshot()
        known = snapshot.breaches
        draft.calls += 1
        edit = Edit(draft, snapshot, origin or caller(draft.extension))
        yield edit
        for about, breach in draft.snapshot().breaches.items():
            if about not in known:
                raise breach


class Edit:
    """A change to a draft.

    Args:
        draft: The draft to change.
        snapshot: A snapshot of the draft before the change.
        origin: The extension and source location to record for the change.

    Attributes:
        added: The outermost nodes that the change added.
    """

    def __init__(self, draft: Draft, snapshot: Snapshot, origin: Origin) -> None:
        self.origin: Origin = origin
        self.added: list[Node] = []
        self._draft = draft
        self._snapshot = snapshot

    @property
    def handle(self) -> Handle:
        """A handle to the nodes that the change added."""
        return Handle(tuple(node.label for node in self.added))

    # -- Adding -----------------------------------------------------------------------------

    def nodes(self, item: object, anchor: str) -> list[Node]:
        """Create the nodes that represent an item in a pipeline on `anchor`.

        Raises:
            PipelineError: If a pipeline text is invalid, or the anchor of a pass differs from
                `anchor`.
        """
        if isinstance(item, Bundle):
            inner = [node for each in item.members for node in self.nodes(each, anchor)]
            use = BundleUse(item)
            for step in steps_in(inner):
                step.bundles = (*step.bundles, use)
            return inner
        manager = self._draft.template.copy().nest(anchor).add(item)  # pyright: ignore[reportArgumentType] - `add` refuses other types
        return nodes_of(manager, self.origin)

    def put(self, nodes: list[Node], scope: Scope, index: int | None = None) -> None:
        """Insert nodes into a scope before the item at `index`; by default, at the end."""
        self._draft.put(nodes, scope, len(scope.items) if index is None else index)
        self.added += nodes

    def append(self, items: Items, scopes: list[Scope]) -> None:
        """Append each item to the first scope that accepts the item.

        The method raises the same errors as `PipelineBuilder.add`.
        """
        for each in items:
            scope, nodes = self._fitting(each, scopes)
            self.put(nodes, scope)

    def append_element(self, element: ElementNode, span: Span) -> None:
        """Append an element of a pipeline file to the outermost pipeline.

        Args:
            element: The parsed element.
            span: The location of the element in the file.
        """
        self.origin = Origin("", span.source.name, span.line)
        root = self._draft.root
        nodes = self.nodes(element, root.name)
        for step in steps_in(nodes):
            step.span = span
        self.put(nodes, root)

    def place(self, items: Items, home: Scope) -> None:
        """Add items at positions that satisfy the constraints.

        Each item is added to `home` or, if `home` does not accept the item, to the first nested
        pipeline that does.

        Raises:
            AnchorError: If no pipeline accepts an item.
            InsertionError: If no order satisfies the constraints.
        """
        inner = (each for each, _ in walk(home.items) if isinstance(each, Scope))
        self.append(items, [home, *(each for each in inner if each.kind == "nest")])
        snapshot = self._draft.snapshot()
        for scope in dict.fromkeys(self._draft.around(each)[-1] for each in self.added):
            scope.items = ordered(scope.items, self.added, snapshot)

    def _anchor(self, scope: Scope) -> str:
        """Return the anchor of the passes in a scope."""
        return innermost_pipeline((*self._draft.around(scope), scope)).name

    def _fitting(self, item: object, scopes: Iterable[Scope]) -> tuple[Scope, list[Node]]:
        """Return the first scope that accepts an item, and the nodes to insert into the scope.

        Raises:
            AnchorError: If no scope accepts the item.
        """
        refused: list[AnchorError] = []
        for scope in scopes:
            try:
                return scope, self.nodes(item, self._anchor(scope))
            except AnchorError as error:
                refused.append(error)
        raise refused[0]

    def add_stage(self, name: str, items: Items, scope: Scope) -> None:
        """Append a stage to a scope.

        The method raises the same errors as `PipelineBuilder.stage`.
        """
        if self._snapshot.matches(Stage(name)):
            raise InsertionError(f"stage '{name}' already exists")
        anchor = self._anchor(scope)
        inner = [node for item in items for node in self.nodes(item, anchor)]
        self.put([Scope("stage", name, self.origin, inner, f"stage {name}")], scope)

    # -- Next to something, or instead ------------------------------------------------------

    def insert(self, target: Target, items: Items, occurrence: Occurrence, *, after: bool) -> None:
        """Insert items right before, or right after, each chosen match of a target.

        The method raises the same errors as `PipelineBuilder.insert_before`.
        """
        for match in self._snapshot.select(target, occurrence):
            self._put_beside(match, items, after=after)
        side = "after" if after else "before"
        for step in steps_in(self.added):
            step.because = f"it was inserted {side} {describe(target)}"

    def remove(self, target: Target, occurrence: Occurrence) -> None:
        """Remove the chosen matches of a target.

        The method raises the same errors as `PipelineBuilder.remove`.
        """
        for match in self._snapshot.select(target, occurrence):
            for node in match:
                self._draft.take_out(node)

    def _put_beside(self, match: Match, items: Items, *, after: bool) -> None:
        """Insert items right before or after a match, in the innermost pipeline that accepts them.

        Raises:
            InsertionError: If a nested pipeline would have to be split.
            AnchorError: If no enclosing pipeline accepts an item.
        """
        target = match[-1] if after else match[0]
        found: list[Node] = []
        for each in items[::-1] if after else items:  # the last insertion is the nearest
            around = self._draft.around(target)
            scope, nodes = self._fitting(each, reversed(around))
            index = self._index_beside(target, scope, f"'{each}'", after=after)
            self._draft.put(nodes, scope, index)
            found = [*nodes, *found] if after else [*found, *nodes]
        self.added += found

    def _index_beside(self, target: Node, outer: Scope, item: str, *, after: bool) -> int:
        """Return the index in an enclosing scope right before or after a target.

        Raises:
            InsertionError: If a nested pipeline would have to be split.
        """
        side, node, is_after = "after" if after else "before", target, after
        around = self._draft.around(target)
        for scope in reversed(around[around.index(outer) + 1 :]):
            index = scope.items.index(node) + is_after
            if 0 < index < len(scope.items):
                raise InsertionError(
                    f"{item} cannot run in the nested pipeline on '{self._anchor(scope)}' that "
                    f"contains '{target.label}'; inserting {item} {side} '{target.label}' would "
                    "split the nested pipeline: use another target"
                )
            node, is_after = scope, index > 0
        return outer.items.index(node) + is_after

    # -- Finding ----------------------------------------------------------------------------

    def scope(self, label: str) -> Scope:
        """Return the scope with a label; an empty label means the outermost pipeline.

        Raises:
            InsertionError: If the scope was removed.
        """
        node = self._snapshot.labelled.get(label) if label else self._draft.root
        if not isinstance(node, Scope):
            raise InsertionError(f"the nested pipeline '{label}' no longer exists")
        return node

    def stage(self, name: str) -> Scope:
        """Return the stage with a name.

        Raises:
            InsertionError: If the stage does not exist.
        """
        ((stage,),) = self._snapshot.select(Stage(name), "first")
        assert isinstance(stage, Scope)  # noqa: S101 - for type checkers
        return stage
