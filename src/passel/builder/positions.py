"""Positions: the sequence that a builder has now, and changes of it.

A change is made to a copy. Once that was brought into order and checked, it takes the place of
the sequence; what is refused is dropped with the copy.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypedDict

from passel.builder.editing import Edit
from passel.builder.insertion import put_before
from passel.builder.origin import caller
from passel.builder.targets import Targets
from passel.errors import InsertionError

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel.builder.conditions import Condition
    from passel.builder.insertion import Put
    from passel.builder.items import Normalizer
    from passel.builder.order import Order
    from passel.builder.rules import Rules
    from passel.builder.sequence import Sequence
    from passel.builder.targets import Handle, Occurrence, Target


class How(TypedDict, total=False):
    """Arguments of `insert_before` and `insert_after` that do not change what they return."""

    occurrence: Occurrence
    split: bool
    when: Condition


class Positions:
    """The sequence of a builder, which all its views share.

    Args:
        sequence: The sequence.
        order: Brings sequences into order.
        normalizer: Makes items.

    Attributes:
        sequence: The sequence, which is never changed, only replaced.
        extension: The name of the extension that is at work; empty if none is.
    """

    def __init__(self, sequence: Sequence, order: Order, normalizer: Normalizer) -> None:
        self.sequence: Sequence = sequence
        self.extension: str = ""
        self._order = order
        self._normalizer = normalizer
        self._rules: Rules = order.rules(sequence)

    @property
    def rules(self) -> Rules:
        """The constraints in force."""
        if not self._rules.are_current(self.sequence):
            self._rules = self._order.rules(self.sequence)
        return self._rules

    @property
    def targets(self) -> Targets:
        """Finds the items that targets stand for."""
        return Targets(self.sequence, self._order.declarations, self.rules.index)

    def copy(self) -> Positions:
        """Return the same positions, to be changed alone."""
        return Positions(self.sequence, self._order, self._normalizer)

    @contextmanager
    def all_or_nothing(self) -> Generator[None]:
        """Go back to the sequence as it was if an error leaves what is done inside."""
        before = self.sequence
        try:
            yield
        except BaseException:
            self.sequence = before
            raise

    def insert(
        self, put: Put, target: Target, items: tuple[object, ...], how: How, *, missing_ok: bool
    ) -> Handle | None:
        """Put items next to a target, and return a handle to them.

        Args:
            put: On which side.
            target: What they are put next to, by default the first for what is put before it,
                and the last for what is put after it.
            items: As users add them.
            how: Arguments as for `PipelineBuilder.insert_before`.
            missing_ok: Return None if they are refused.

        Raises:
            InsertionError: The target is not there, or a constraint would be broken.
        """
        occurrence = how.get("occurrence", "first" if put is put_before else "last")
        try:
            with self.edit() as edit:
                edit.insert(put, target, items, occurrence, split=how.get("split", False))
                edit.depend_on(how.get("when"))
        except InsertionError:
            if missing_ok:
                return None
            raise
        return edit.handle

    def edit(self, *, is_free: bool = False) -> AbstractContextManager[Edit]:
        """Change the sequence, if what is done inside leaves it in order.

        Args:
            is_free: Whether explicitly added steps may change their order.

        Raises:
            InsertionError: There is no order, or a constraint is broken that was not before.
        """
        origin = caller(self.extension)
        return self._settled(Edit(self.draft(), self.targets, self._normalizer, origin), is_free)

    @contextmanager
    def _settled(self, edit: Edit, is_free: bool) -> Generator[Edit]:
        yield edit
        self._rules = self._order.settle(edit.sequence, self.rules, is_free=is_free)
        self.sequence = edit.sequence

    def draft(self) -> Sequence:
        """Return a copy of the sequence, for one call to change it."""
        draft = self.sequence.copy()
        draft.calls += 1
        return draft
