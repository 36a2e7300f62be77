"""Positions: the sequence that a builder has now, and changes of it.

A change is made in place, brought into an order that the constraints allow, and checked; what is
refused is taken back.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, NoReturn, TypedDict

from passel.builder.editing import Edit
from passel.builder.ordering import ordered
from passel.builder.origin import caller
from passel.builder.rules import Rules
from passel.builder.targets import Targets
from passel.errors import InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel.builder.declarations import DeclarationTable
    from passel.builder.items import Normalizer
    from passel.builder.naming import Target
    from passel.builder.rules import Breach
    from passel.builder.sequence import Sequence
    from passel.builder.targets import Handle, Occurrence


class How(TypedDict, total=False):
    """Arguments of `insert_before` and `insert_after` that do not change what they return."""

    occurrence: Occurrence
    split: bool


class Positions:
    """The sequence of a builder, which all its views share.

    Args:
        sequence: The sequence.
        declarations: What is declared of passes.
        normalizer: Makes items, and knows where they can be.

    Attributes:
        extension: The name of the extension that is at work; empty if none is.
    """

    def __init__(
        self, sequence: Sequence, declarations: DeclarationTable, normalizer: Normalizer
    ) -> None:
        self.sequence: Sequence = sequence
        self.extension: str = ""
        self._declarations = declarations
        self._normalizer = normalizer
        self._rules: Rules | None = None
        self._broken: frozenset[str] | None = frozenset()

    @property
    def rules(self) -> Rules:
        """The constraints in force."""
        if self._rules is None or self._rules.version != self._declarations.version:
            self._rules = rules_of(self.sequence, self._declarations)
            self._broken = None
        return self._rules

    @property
    def targets(self) -> Targets:
        """Finds the items that targets stand for."""
        return Targets(self.sequence, self.rules)

    def forget(self) -> None:
        """Forget what is known of the sequence, which was changed from outside."""
        self._rules = None

    def copy(self) -> Positions:
        """Return the same positions, to be changed alone."""
        return Positions(self.sequence.copy(), self._declarations, self._normalizer)

    @contextmanager
    def all_or_nothing(self) -> Generator[None]:
        """Go back to a copy of the sequence if an error leaves what is done inside."""
        before = self.sequence.copy()
        try:
            yield
        except BaseException:
            self.sequence = before
            self.forget()
            raise

    def insert(
        self, target: Target, items: tuple[object, ...], how: How, *, after: bool, missing_ok: bool
    ) -> Handle | None:
        """Put items next to a target, and return a handle to them.

        Args:
            target: What they are put next to, by default the first for what is put before it,
                and the last for what is put after it.
            items: As users add them.
            how: Arguments as for `PipelineBuilder.insert_before`.
            after: On which side.
            missing_ok: Return None if they are refused.

        Raises:
            InsertionError: The target is not there, or a constraint would be broken.
        """
        occurrence = how.get("occurrence", "last" if after else "first")
        try:
            with self.edit() as edit:
                split = how.get("split", False)
                edit.insert(target, items, occurrence, after=after, split=split)
        except InsertionError:
            if missing_ok:
                return None
            raise
        return edit.handle

    def edit(self) -> AbstractContextManager[Edit]:
        """Change the sequence, if what is done inside leaves it in order.

        Raises:
            InsertionError: There is no order, or a constraint is broken that was not before.
        """
        return self._settled(self._new_edit())

    def append(self) -> AbstractContextManager[Edit]:
        """Add items at the ends of containers, and do nothing else, as `edit` does.

        Where no constraint is broken, only what is new is checked.
        """
        edit = self._new_edit()
        return self._settled(edit) if self._known_breaches() else self._appended(edit)

    def _new_edit(self) -> Edit:
        return Edit(self.sequence, self.targets, self._normalizer, caller(self.extension))

    def _known_breaches(self) -> frozenset[str]:
        if self._broken is None:
            self._broken = frozenset(each.about for each in self.rules.broken())
        return self._broken

    @contextmanager
    def _settled(self, edit: Edit) -> Generator[Edit]:
        known = self._known_breaches()
        with self.all_or_nothing():
            self.sequence.calls += 1
            yield edit
            rules = rules_of(self.sequence, self._declarations)
            if edit.placed:
                for container in {each.parent for each in edit.placed if each.parent}:
                    container.items = ordered(container, edit.placed, rules)
                rules = rules_of(self.sequence, self._declarations)
            self._rules = rules
            self._broken = refuse_breaches(rules, known)

    @contextmanager
    def _appended(self, edit: Edit) -> Generator[Edit]:
        self.sequence.calls += 1
        try:
            with self.sequence.adding():
                yield edit
                breaches = self.rules.broken_by([*self.sequence.steps()])
                if breaches is None:  # something stands behind what is new
                    self.forget()
                    breaches = self.rules.broken()
                for each in breaches:
                    refuse(each)
        except BaseException:
            self.forget()
            raise
        self._broken = frozenset()


def rules_of(
    sequence: Sequence, declarations: DeclarationTable, *, is_final: bool = False
) -> Rules:
    """Return the constraints in force in a sequence, as long as that stays as it is.

    Args:
        sequence: The sequence.
        declarations: What is declared of passes.
        is_final: Whether nothing will be added any more.
    """
    return Rules(sequence.steps(), declarations, sequence.constraints, is_final=is_final)


def refuse_breaches(rules: Rules, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Refuse a sequence that breaks a constraint, and return what it breaks all the same.

    Args:
        rules: The constraints.
        known: What was broken before, and may stay so.

    Raises:
        InsertionError: Another one is broken.
    """
    found: set[str] = set()
    for each in rules.broken():
        found.add(each.about)
        if each.about not in known:
            refuse(each, each.step.origin.extension if rules.is_final else "")
    return frozenset(found)


def refuse(breach: Breach, extension: str = "") -> NoReturn:
    """Refuse a sequence that breaks a constraint.

    Args:
        breach: How.
        extension: The extension to name, if that is no longer at work.

    Raises:
        InsertionError: Always.
    """
    by = f"extension '{extension}': " if extension else ""
    raise InsertionError(Problem(f"{by}{breach}"), rules=(breach.rule,))
