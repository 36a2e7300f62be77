"""One change of a builder's sequence: adding, placing, inserting, replacing and removing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from passel.builder.sequence import (
    BundleUse,
    Container,
    Group,
    Nest,
    Removal,
    anchor_of,
    is_block,
    nodes_of,
    steps_of,
)
from passel.builder.targets import Bundle, Handle, Origin, Stage, describe, keys_of
from passel.errors import AnchorError, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.builder.positions import Positions, Unit
    from passel.builder.sequence import Item, Node, Sequence
    from passel.builder.targets import Occurrence, Target
    from passel.diagnostics import Span
    from passel.manager import PassManager
    from passel.pipeline import ElementNode

Items: TypeAlias = "tuple[object, ...]"
"""Arguments of methods that insert: as for `OpPassManager.add`, or bundles."""


class Edit:
    """One change of a sequence.

    Args:
        sequence: The sequence, which is changed.
        positions: What targets stood for before the change.
        template: An empty manager, which knows where names are looked up.
        origin: Who makes the change, and where.

    Attributes:
        added: What was added.
        placed: What constraints put in its place, in the order in which it was added.
    """

    def __init__(
        self, sequence: Sequence, positions: Positions, template: PassManager, origin: Origin
    ) -> None:
        self.sequence: Sequence = sequence
        self.origin: Origin = origin
        self.added: list[Node] = []
        self.placed: dict[Node, None] = {}
        self._positions = positions
        self._template = template

    @property
    def handle(self) -> Handle:
        """A handle to what was added."""
        return Handle(tuple(node.label for node in self.added))

    # -- Making items -----------------------------------------------------------------------

    def nodes(self, item: object, container: Container) -> list[Node]:
        """Return the items for what a user adds.

        Raises:
            PipelineError: The text is wrong, or a pass has another anchor.
        """
        if isinstance(item, Bundle):
            members = [n for each in item.members for n in self.nodes(each, container)]
            return self._bundled(item, members)
        if hasattr(item, "insert_before"):  # a pipeline is called as well, but this is none yet
            raise TypeError("a builder is no pass; register it as a pipeline, and add that by name")
        manager = self._template.copy().nest(anchor_of(container)).add(item)  # pyright: ignore[reportArgumentType] - which refuses others
        return list(nodes_of(manager, self.origin))

    def _bundled(self, bundle: Bundle, items: list[Node]) -> list[Node]:
        """Return the items of one addition of a bundle: its members, or a group of them."""
        use = BundleUse(bundle)
        for step in steps_of(items):
            step.bundles = (*step.bundles, use)
        if not bundle.together:
            return items
        group = Group(bundle.name, self.origin, is_block=True)
        group.items += items
        return [group]

    # -- Adding -----------------------------------------------------------------------------

    def append(self, items: Items, container: Container, label: str = "") -> None:
        """Append what a user adds; errors are those of `PipelineBuilder.add`."""
        nodes = [node for item in items for node in self.nodes(item, container)]
        self.put(nodes, container, label=self._label(nodes, items, label))

    def append_element(self, element: ElementNode, span: Span) -> None:
        """Append an element of a pipeline's file.

        Args:
            element: The element.
            span: The place in the file of what it was made of.
        """
        self.origin = Origin("", span.source.name, span.line)
        nodes = self.nodes(element, self.sequence.root)
        for step in steps_of(nodes):
            if step.span is None or step.span.source != span.source:
                step.span = span  # its text stands nowhere
        self.put(nodes, self.sequence.root)

    def put(
        self,
        nodes: Iterable[Node],
        container: Container,
        index: int | None = None,
        label: str = "",
    ) -> None:
        """Put items into a container, of which one alone may be given a label."""
        for offset, node in enumerate(nodes):
            self.sequence.link(node, container, None if index is None else index + offset, label)
            self.added.append(node)

    def _label(self, nodes: list[Node], items: Items, label: str) -> str:
        """Return the label that an item gets; several are made a bundle of that name instead.

        Raises:
            InsertionError: The label is taken.
        """
        if label and self._positions.units(label):
            raise InsertionError(Problem(f"there is an item with the label '{label}' already"))
        if len(nodes) < 2:  # noqa: PLR2004 - several
            return label
        if label:
            self._bundled(Bundle(label, *items), nodes)
        return ""

    def place(self, items: Items, home: Container, label: str) -> None:
        """Put each item into a container, or into the first pipeline nested in it where it can be.

        Constraints decide where it stands there.

        Raises:
            AnchorError: They can be in none.
        """
        containers = [home, *_nests_inside(home)]
        found = [self._fitting(item, containers) for item in items]
        label = self._label([node for _, inside in found for node in inside], items, label)
        for container, inside in found:
            self.put(inside, container, label=label)
        self.placed = dict.fromkeys(self.added)

    def _fitting(
        self, item: object, containers: Iterable[Container]
    ) -> tuple[Container, list[Node]]:
        """Return the first container where an item can be, and what it is there.

        Raises:
            AnchorError: It can be in none.
        """
        refused: AnchorError | None = None
        for container in containers:
            try:
                return container, self.nodes(item, container)
            except AnchorError as error:
                refused = refused or error
        assert refused is not None  # noqa: S101 - there is one container at least
        raise refused

    def add_stage(self, name: str, default: Items, container: Container, *, required: bool) -> None:
        """Append a stage; errors are those of `PipelineBuilder.stage`."""
        if self._positions.units(Stage(name)):
            raise InsertionError(Problem(f"there is a stage '{name}' already"))
        stage = Group(name, self.origin, is_required=required)
        stage.items += (node for item in default for node in self.nodes(item, container))
        for step in stage.steps():
            step.is_default = True
        for group in (
            Group(f"pre_{name}", self.origin),
            stage,
            Group(f"post_{name}", self.origin),
        ):
            self.sequence.link(group, container, label=f"stage {group.name}")

    # -- Next to something, or instead ------------------------------------------------------

    def insert(
        self, target: Target, items: Items, occurrence: Occurrence, *, after: bool, split: bool
    ) -> None:
        """Put items next to a target; errors are those of `PipelineBuilder.insert_before`."""
        for unit in self._select(target, occurrence):
            if by := self.origin.extension:
                for step in steps_of(unit):
                    step.users = (*step.users, by)
            self._put_beside(unit, items, after=after, split=split)
        side = "after" if after else "before"
        for step in steps_of(self.added):
            step.because = (f"it was put {side} {describe(target)}",)

    def replace(self, target: Target, items: Items, occurrence: Occurrence) -> None:
        """Put items in place of a target; errors are those of `PipelineBuilder.replace`."""
        for unit in self._select(target, occurrence):
            self._put_beside(unit, items, after=False, split=False)
            self._take_out(unit, describe(target))

    def remove(self, target: Target, occurrence: Occurrence, *, missing_ok: bool) -> None:
        """Take a target out; errors are those of `PipelineBuilder.remove`."""
        for unit in self._positions.select(target, occurrence, missing_ok=missing_ok):
            self._take_out(unit, describe(target))

    def _put_beside(self, unit: Unit, items: Items, *, after: bool, split: bool) -> None:
        """Put items right before or after a unit, in the innermost pipeline where they can be.

        Raises:
            InsertionError: There is no place without splitting.
            AnchorError: They fit into no enclosing pipeline of the unit.
        """
        target = unit[-1] if after else unit[0]
        containers = [each for each in target.enclosing() if not is_block(each)]
        found: list[list[Node]] = []
        for each in items[::-1] if after else items:  # what is put last is the nearest
            container, nodes = self._fitting(each, containers)
            index = self._room(target, container, each, after=after, split=split)
            for offset, node in enumerate(nodes):
                self.sequence.link(node, container, index + offset)
            found.append(nodes)
        self.added += (node for nodes in (found[::-1] if after else found) for node in nodes)

    def _room(
        self, target: Node, outer: Container, given: object, *, after: bool, split: bool
    ) -> int:
        """Return the place in a container next to what encloses a target, which may be split.

        Raises:
            InsertionError: It is a bundle or a stage, or nothing may be split.
        """
        item: Item = target
        offset, side = int(after), "after" if after else "before"
        for container in target.enclosing():
            index = container.index(item) + offset
            if container is outer:
                return index
            if 0 < index < len(container.items):
                if isinstance(container, Group):
                    what = "bundle" if container.is_block else "stage"
                    message = (
                        f"nothing can be put {side} '{target.label}', which stands inside {what} "
                        f"'{container.name}'; put it before or after the {what}"
                    )
                    raise InsertionError(Problem(message))
                if not split:
                    message = (
                        f"'{given}' cannot stand in the pipeline on '{anchor_of(container)}' that "
                        f"'{target.label}' is in, and to stand {side} that outside it would have "
                        "to split the pipeline; allow it with split=True, or choose another target"
                    )
                    raise InsertionError(Problem(message))
                self._split(container, index)
                offset = 1  # between both halves
            item = container
        raise AssertionError

    def _split(self, container: Container, index: int) -> None:
        """Put what is in a nested pipeline from a place on into another one after it."""
        assert isinstance(container, Nest)  # noqa: S101 - groups are not split
        assert container.parent is not None  # noqa: S101 - nor is the outermost container
        rest = Nest(container.anchor, container.origin, jobs=container.jobs)
        for each in container.items[index:]:
            self.sequence.unlink(each)
            rest.items.append(each)
        self.sequence.link(rest, container.parent, container.parent.index(container) + 1)

    # -- Finding ----------------------------------------------------------------------------

    def container(self, label: str) -> Container:
        """Return the container that is added to; without a label, the outermost.

        Raises:
            InsertionError: It is a nested pipeline that was taken out.
        """
        container = self.sequence.container(label)
        if container is None:
            raise InsertionError(Problem(f"the nested pipeline '{label}' is no longer there"))
        return container

    def stage(self, name: str) -> Group:
        """Return the group of a stage, to put items into it instead of its default.

        Raises:
            InsertionError: There is no such stage, or another extension relies on its default.
        """
        ((group,),) = self._positions.select(Stage(name), "first")
        assert isinstance(group, Group)  # noqa: S101 - for type checkers
        if group.is_by_default:
            self._take_out([*group.items], f"the default of stage '{name}'")
        return group

    def _select(self, target: Target, occurrence: Occurrence) -> list[Unit]:
        """Return what a target stands for; if that was taken out, the error says by whom."""
        try:
            return self._positions.select(target, occurrence)
        except InsertionError:
            for removal in self.sequence.removals:
                by = removal.extension
                if not removal.keys.isdisjoint(keys_of(target)) and by != self.origin.extension:
                    who = f"extension '{by}'" if by else "the framework"
                    message = f"{describe(target)} is not in the pipeline: {who} has taken it out"
                    raise InsertionError(Problem(message)) from None
            raise

    def _take_out(self, unit: Unit, what: str) -> None:
        """Take items out, unless another extension relies on them.

        Raises:
            InsertionError: One does.
        """
        extension = self.origin.extension
        for step in steps_of(unit):
            for user in step.users:
                if extension and user != extension:
                    message = (
                        f"extensions '{user}' and '{extension}' disagree: the one puts "
                        f"something next to {what}, the other takes {what} out"
                    )
                    raise InsertionError(Problem(message))
            removal = Removal(frozenset(self._positions.keys(step)), extension)
            self.sequence.removals = (*self.sequence.removals, removal)
        for item in unit:
            self.sequence.unlink(item)


def _nests_inside(container: Container) -> Iterator[Nest]:
    """Yield the nested pipelines inside of a container that others may be put into."""
    for item in container.items:
        if isinstance(item, Nest):
            yield item
        if isinstance(item, Container) and not is_block(item):
            yield from _nests_inside(item)
