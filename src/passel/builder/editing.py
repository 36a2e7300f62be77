"""One change of a builder's sequence: adding, inserting, replacing and removing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.builder.bundle import Bundle
from passel.builder.insertion import put
from passel.builder.items import anchor_of, nests_inside
from passel.builder.naming import describe, keys_of
from passel.builder.origin import Origin
from passel.builder.rules import rule_of
from passel.builder.sequence import Group, Removal, bundled, stage_groups, steps_of
from passel.builder.targets import Handle, Stage
from passel.errors import AnchorError, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.builder.items import Normalizer
    from passel.builder.naming import Target
    from passel.builder.sequence import Container, Node, Sequence
    from passel.builder.targets import Occurrence, Targets, Unit
    from passel.diagnostics import Span
    from passel.pipeline import ElementNode


class Edit:
    """One change of a sequence.

    Args:
        sequence: The sequence, which is changed.
        targets: Finds what targets stood for before the change.
        normalizer: Makes items.
        origin: Who makes the change, and where.

    Attributes:
        placed: What constraints put in its place, in the order in which it was added.
    """

    def __init__(
        self, sequence: Sequence, targets: Targets, normalizer: Normalizer, origin: Origin
    ) -> None:
        self.sequence: Sequence = sequence
        self.origin: Origin = origin
        self._targets = targets
        self._normalizer = normalizer
        self._added: list[Node] = []
        self.placed: dict[Node, None] = {}

    @property
    def handle(self) -> Handle:
        """A handle to what was added."""
        return Handle(tuple(node.label for node in self._added))

    # -- Adding -----------------------------------------------------------------------------

    def append(self, items: Iterable[object], container: Container, label: str = "") -> None:
        """Append what a user adds; errors are those of `PipelineBuilder.add`."""
        listed = tuple(items)
        nodes = [node for item in listed for node in self._nodes(item, container)]
        self.append_nodes(nodes, container, self._label(nodes, listed, label))

    def append_nodes(self, nodes: Iterable[Node], container: Container, label: str = "") -> None:
        """Append items, of which one alone may be given a label."""
        for node in nodes:
            self.sequence.append(node, container, label)
            self._added.append(node)

    def append_element(self, element: ElementNode, span: Span) -> None:
        """Append an element of a pipeline's file.

        Args:
            element: The element.
            span: The place in the file of what it was made of.
        """
        root = self.sequence.root
        origin = Origin("", span.source.name, span.line)
        nodes = self._normalizer.nodes(element, root.anchor, origin)
        for step in steps_of(nodes):
            if step.span is None or step.span.source != span.source:
                step.span = span  # its text stands nowhere
        self.append_nodes(nodes, root)

    def _label(self, nodes: list[Node], items: tuple[object, ...], label: str) -> str:
        """Return the label that an item gets; several are made a bundle of that name instead.

        Raises:
            InsertionError: The label is taken.
        """
        if label and (self.sequence.labelled(label) or self._targets.units(label)):
            raise InsertionError(Problem(f"there is an item with the label '{label}' already"))
        if len(nodes) < 2:  # noqa: PLR2004 - several
            return label
        if label:
            bundled(Bundle(label, *items), nodes, self.origin)
        return ""

    def place(self, items: Iterable[object], home: str, label: str) -> None:
        """Put each item into a container, or into the first pipeline nested in it where it can be.

        Constraints decide where it stands there.

        Args:
            items: As users add them.
            home: The label of the container; empty for the outermost.
            label: As for `append`.

        Raises:
            AnchorError: They can be in none.
        """
        listed = tuple(items)
        found = [self._nodes_somewhere(item, self.container(home)) for item in listed]
        label = self._label([node for _, inside in found for node in inside], listed, label)
        for container, inside in found:
            self.append_nodes(inside, container, label)
        self.placed = dict.fromkeys(self._added)

    def add_stage(
        self, name: str, default: Iterable[object], container: Container, *, required: bool
    ) -> None:
        """Append a stage; errors are those of `PipelineBuilder.stage`."""
        if self._targets.units(Stage(name)):
            raise InsertionError(Problem(f"there is a stage '{name}' already"))
        groups = stage_groups(name, self.origin, required=required)
        groups[1].set_default(node for item in default for node in self._nodes(item, container))
        for group in groups:
            self.sequence.append(group, container, f"stage {group.name}")

    def constrain(self, target: Target, constraints: Iterable[object]) -> None:
        """Put constraints on a target; errors are those of `PipelineBuilder.constrain`."""
        rules = (rule_of(each, None, target, self.origin.extension) for each in constraints)
        self.sequence.constraints += tuple(rules)

    # -- Next to something, or instead ------------------------------------------------------

    def insert(
        self,
        target: Target,
        items: tuple[object, ...],
        occurrence: Occurrence,
        *,
        after: bool,
        split: bool,
    ) -> None:
        """Put items next to a target; errors are those of `PipelineBuilder.insert_before`."""
        for unit in self._select(target, occurrence):
            self._note_use(unit)
            self._added += put(self.sequence, unit, items, self._nodes, after=after, split=split)
        side = "after" if after else "before"
        for step in steps_of(self._added):
            step.because = (f"it was put {side} {describe(target)}",)

    def replace(self, target: Target, items: tuple[object, ...], occurrence: Occurrence) -> None:
        """Put items in place of a target; errors are those of `PipelineBuilder.replace`."""
        for unit in self._select(target, occurrence):
            self._added += put(self.sequence, unit, items, self._nodes, after=False, split=False)
            self._take_out(unit, describe(target))

    def remove(self, target: Target, occurrence: Occurrence, *, missing_ok: bool) -> None:
        """Take a target out; errors are those of `PipelineBuilder.remove`."""
        for unit in self._targets.select(target, occurrence, missing_ok=missing_ok):
            self._take_out(unit, describe(target))

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
        ((group,),) = self._targets.select(Stage(name), "first")
        assert isinstance(group, Group)  # noqa: S101 - for type checkers
        if group.is_by_default:
            self._take_out([*group.items], f"the default of stage '{name}'")
        return group

    def _select(self, target: Target, occurrence: Occurrence) -> list[Unit]:
        try:
            return self._targets.select(target, occurrence)
        except InsertionError as error:
            raise self._about_removal(target) or error from None

    def _nodes(self, item: object, container: Container) -> list[Node]:
        return self._normalizer.nodes(item, anchor_of(container), self.origin)

    def _nodes_somewhere(self, item: object, home: Container) -> tuple[Container, list[Node]]:
        """Return the items for what a user places, and the first container where they can be."""
        refused: AnchorError | None = None
        for container in (home, *nests_inside(home)):
            try:
                return container, self._nodes(item, container)
            except AnchorError as error:
                refused = refused or error
        assert refused is not None  # noqa: S101 - there is one container at least
        raise refused

    # -- What depends on what ---------------------------------------------------------------

    def _note_use(self, unit: Unit) -> None:
        """Note that the extension at work relies on steps."""
        if by := self.origin.extension:
            for step in steps_of(unit):
                step.users = (*step.users, by)

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
            removal = Removal(frozenset(step.found_by()), extension)
            self.sequence.removals = (*self.sequence.removals, removal)
        for item in unit:
            self.sequence.unlink(item)

    def _about_removal(self, target: Target) -> InsertionError | None:
        """Return an error about a missing target that says who has taken it out, if that is it."""
        keys = keys_of(target)
        for removal in self.sequence.removals:
            by = removal.extension
            if not removal.keys.isdisjoint(keys) and by != self.origin.extension:
                who = f"extension '{by}'" if by else "the framework"
                message = f"{describe(target)} is not in the pipeline: {who} has taken it out"
                return InsertionError(Problem(message))
        return None
