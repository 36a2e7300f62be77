"""Editing a sequence: adding, inserting, replacing and removing."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, overload

from passel.builder.conditions import check_condition
from passel.builder.insertion import put_after, put_before
from passel.builder.origin import caller
from passel.builder.sequence import Group, steps_of
from passel.builder.targets import Handle, Stage, describe
from passel.errors import InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from passel.builder.conditions import Condition
    from passel.builder.extensions import Extensions
    from passel.builder.items import Normalizer
    from passel.builder.origin import Origin
    from passel.builder.rules import Rules
    from passel.builder.sequence import Container, Item, Node, Sequence
    from passel.builder.targets import Occurrence, Target, Targets, Unit
    from passel.passes import PassType


class _How(TypedDict, total=False):
    """Arguments of `insert_before` and `insert_after` that do not change what they return."""

    occurrence: Occurrence
    split: bool
    when: Condition


class Editor:
    """Changes of a builder's sequence: all or nothing.

    Attributes:
        _sequence: The items.
        _at: The container that is added to.
        _rules: The constraints in force.
        _targets: Finds what targets stand for.
        _normalizer: Makes items.
        _extensions: Knows which extension is at work.
    """

    _sequence: Sequence
    _at: Container
    _rules: Rules
    _targets: Targets
    _normalizer: Normalizer
    _extensions: Extensions

    def add(
        self,
        *items: object,
        label: str = "",
        stage: str = "",
        when: Condition = None,
    ) -> Handle:
        """Append passes, and return a handle to what was added.

        Args:
            items: As for `OpPassManager.add`; or bundles.
            label: The label of what is added, if that is one item.
            stage: The name of a stage to append to, also `pre_` or `post_` and its name.
            when: The variable or predicate that it depends on whether they run.

        Raises:
            InsertionError: A constraint would be broken, the label is taken, or there is no such
                stage.
            PipelineError: The text is wrong, or a pass has another anchor.
        """
        container = self._stage(stage) if stage else self._here()
        with self._changing() as added:
            for item in items:
                for node in self._nodes(item, container):
                    self._append(node, container, added, label)
            self._condition(added, when)
        return handle_to(added)

    @overload
    def insert_before(
        self, target: Target, *items: object, missing_ok: Literal[False] = ..., **how: Unpack[_How]
    ) -> Handle: ...
    @overload
    def insert_before(
        self, target: Target, *items: object, missing_ok: bool, **how: Unpack[_How]
    ) -> Handle | None: ...
    def insert_before(
        self,
        target: Target,
        *items: object,
        occurrence: Occurrence = "first",
        missing_ok: bool = False,
        split: bool = False,
        when: Condition = None,
    ) -> Handle | None:
        """Put passes right before a target, by default before the first one.

        A pass that cannot stand in the nested pipeline of the target is put before that
        pipeline, if the target is the first in there.

        Args:
            target: What they are put before.
            items: As for `add`.
            occurrence: Which one, of several that match.
            missing_ok: Return None if the target is not there, or a constraint would be broken.
            split: Whether a nested pipeline may be split to make place.
            when: As for `add`.

        Raises:
            InsertionError: The target is not there, or a constraint would be broken.
            PipelineError: The text is wrong, or a pass has another anchor.
        """
        return self._insert(
            put_before, target, items, occurrence, missing_ok=missing_ok, split=split, when=when
        )

    @overload
    def insert_after(
        self, target: Target, *items: object, missing_ok: Literal[False] = ..., **how: Unpack[_How]
    ) -> Handle: ...
    @overload
    def insert_after(
        self, target: Target, *items: object, missing_ok: bool, **how: Unpack[_How]
    ) -> Handle | None: ...
    def insert_after(
        self,
        target: Target,
        *items: object,
        occurrence: Occurrence = "last",
        missing_ok: bool = False,
        split: bool = False,
        when: Condition = None,
    ) -> Handle | None:
        """Put passes right after a target, by default after the last one.

        The arguments and errors are as for `insert_before`.
        """
        return self._insert(
            put_after, target, items, occurrence, missing_ok=missing_ok, split=split, when=when
        )

    def insert_inside(
        self,
        target: PassType | Stage | str,
        *items: object,
        when: Condition = None,
    ) -> Handle:
        """Put passes inside the interval of a type, right after its first pass; or into a stage.

        Args:
            target: A type of pass, or a stage.
            items: As for `add`.
            when: As for `add`.

        Raises:
            InsertionError: No pass has the type, there is no such stage, or a constraint would
                be broken.
        """
        if isinstance(target, (Stage, str)):
            return self.add(*items, stage=str(target), when=when)
        return self.insert_after(target, *items, occurrence="first", when=when)

    def _insert(
        self,
        put: Callable[..., None],
        target: Target,
        items: tuple[object, ...],
        occurrence: Occurrence,
        *,
        missing_ok: bool,
        split: bool,
        when: Condition,
    ) -> Handle | None:
        try:
            units = self._select(target, occurrence)
            with self._changing() as added:
                for unit in units:
                    self._pin(unit)
                    put(self._sequence, unit, items, self._nodes, added, split=split)
                    side = "before" if put is put_before else "after"
                    for step in steps_of(added):
                        step.because = (f"it was put {side} {describe(target)}",)
                self._condition(added, when)
        except InsertionError:
            if missing_ok:
                return None
            raise
        self._extensions.use(units)
        return handle_to(added)

    def replace(
        self,
        target: Target,
        *items: object,
        occurrence: Occurrence = "all",
    ) -> Handle:
        """Put passes in place of a target.

        Args:
            target: What they replace.
            items: As for `add`.
            occurrence: Which one, of several that match.

        Raises:
            InsertionError: The target is not there, or a constraint would be broken.
        """
        units = self._select(target, occurrence)
        with self._changing() as added:
            for unit in units:
                put_before(self._sequence, unit, items, self._nodes, added, split=False)
                self._take_out(unit, describe(target))
        return handle_to(added)

    def remove(
        self, target: Target, *, occurrence: Occurrence = "all", missing_ok: bool = False
    ) -> None:
        """Take a target out.

        Args:
            target: What is taken out.
            occurrence: Which one, of several that match.
            missing_ok: Do nothing if it is not there.

        Raises:
            InsertionError: The target is not there, a constraint would be broken, or an
                extension has put something next to it and another one removes it.
        """
        units = self._targets.select(target, occurrence, missing_ok=missing_ok)
        with self._changing():
            for unit in units:
                self._take_out(unit, describe(target))

    def disable(self, target: Target, *, occurrence: Occurrence = "all") -> None:
        """Leave a target where it is, but out of what is built.

        Raises:
            InsertionError: The target is not there, or holds no passes; what a stage would have
                by default does not stand in it.
        """
        self._enable(target, occurrence, enabled=False)

    def enable(self, target: Target, *, occurrence: Occurrence = "all") -> None:
        """Take back what `disable` did.

        Raises:
            InsertionError: The target is not there.
        """
        self._enable(target, occurrence, enabled=True)

    def _enable(self, target: Target, occurrence: Occurrence, *, enabled: bool) -> None:
        with self._changing():
            steps = [s for unit in self._select(target, occurrence) for s in steps_of(unit)]
            if not steps:
                word = "enable" if enabled else "disable"
                message = f"there is nothing to {word}: {describe(target)} holds no passes"
                raise InsertionError(Problem(message))
            for step in steps:
                self._sequence.enable(step, enabled=enabled)
                self._rules.touch(step)

    def _take_out(self, unit: Unit, what: str) -> None:
        self._extensions.check_removal(unit, what)
        for item in unit:
            self._extensions.removed(item)
            self._sequence.unlink(item)

    def _pin(self, unit: Unit) -> None:
        """Have what something is put next to explicitly stay where it is."""
        for item in unit:
            enclosing: Item | None = item
            while enclosing is not None:
                self._sequence.pin(enclosing)
                enclosing = enclosing.parent

    def _here(self) -> Container:
        """Return the container that is added to.

        Raises:
            InsertionError: It is a nested pipeline that was taken out.
        """
        enclosing: Container | None = self._at
        while enclosing is not None and enclosing is not self._sequence.root:
            enclosing = enclosing.parent
        if enclosing is None:
            message = f"the nested pipeline '{self._at.label}' is no longer there"
            raise InsertionError(Problem(message))
        return self._at

    def _append(self, node: Node, container: Container, added: list[Node], label: str = "") -> None:
        """Append an item, and note it; with a label if one was asked for.

        Raises:
            InsertionError: The label is taken, or meant for several items.
        """
        if label and added:
            raise InsertionError(Problem(f"the label '{label}' is for one item, not for several"))
        if label and self._sequence.labelled(label) is not None:
            raise InsertionError(Problem(f"there is an item with the label '{label}' already"))
        self._sequence.append(node, container, label)
        added.append(node)

    def _stage(self, name: str) -> Container:
        (unit,) = self._targets.select(Stage(name), "first")
        (group,) = unit
        assert isinstance(group, Group)  # noqa: S101 - for type checkers
        return group

    @contextmanager
    def _changing(self, *, is_free: bool = False) -> Generator[list[Node]]:
        """Collect what is added, and take back everything if something is wrong with it."""
        added: list[Node] = []
        self._rules.forget_touched()
        try:
            with self._sequence.change():
                yield added
                self._settle(is_free=is_free)
        finally:
            self._rules.forget_touched()

    def _settle(self, *, is_free: bool) -> None:
        """Bring the sequence into an order that its constraints allow.

        Args:
            is_free: Whether explicitly added steps may change their order.

        Raises:
            InsertionError: There is none, or a constraint is broken in another way.
        """
        raise NotImplementedError

    def _select(self, target: Target, occurrence: Occurrence) -> list[Unit]:
        try:
            return self._targets.select(target, occurrence)
        except InsertionError as error:
            raise self._extensions.note_removal(target, error) from None

    def _nodes(self, item: object, container: Container) -> list[Node]:
        if isinstance(item, Editor):
            raise TypeError("a builder is no pass; register it as a pipeline, and add that by name")
        return self._normalizer.nodes(item, container, self._origin())

    def _origin(self) -> Origin:
        return caller(self._extensions.current)

    @staticmethod
    def _condition(added: Iterable[Node], when: Condition) -> None:
        if when is not None:
            check_condition(when)
            for node in added:
                node.conditions = (*node.conditions, when)


def handle_to(added: Iterable[Node]) -> Handle:
    """Return a handle to items."""
    return Handle(tuple(node.label for node in added))
