"""The draft of a pipeline: a sequence that is changed as a whole or not at all.

A change is made in place, brought into an order that the constraints allow, and checked; what is
refused is taken back.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from passel.builder.editing import Edit
from passel.builder.ordering import ordered
from passel.builder.positions import Positions
from passel.builder.rules import Rules
from passel.builder.targets import Origin, caller

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import Sequence
    from passel.manager import PassManager


class Draft:
    """The sequence of a builder, which all its views share, and the constraints in force.

    Args:
        sequence: The sequence.
        declarations: What is declared of passes.
        template: An empty manager, which knows the IR and where names are looked up.

    Attributes:
        extension: The name of the extension that is at work; empty if none is.
    """

    def __init__(
        self, sequence: Sequence, declarations: DeclarationTable, template: PassManager
    ) -> None:
        self.sequence: Sequence = sequence
        self.declarations: DeclarationTable = declarations
        self.template: PassManager = template
        self.extension: str = ""
        self._rules: Rules | None = None

    @property
    def rules(self) -> Rules:
        """The constraints in force."""
        if self._rules is None or self._rules.version != self.declarations.version:
            positions = Positions(self.sequence, self.declarations)
            self._rules = Rules(positions, self.sequence.constraints)
        return self._rules

    @property
    def positions(self) -> Positions:
        """The steps that targets stand for."""
        return self.rules.positions

    def forget(self) -> None:
        """Forget the constraints in force, since the sequence has changed."""
        self._rules = None

    def copy(self) -> Draft:
        """Return the same draft, to be changed alone."""
        return Draft(self.sequence.copy(), self.declarations, self.template)

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

    def edit(self, origin: Origin | None = None) -> AbstractContextManager[Edit]:
        """Change the sequence, if what is done inside leaves it in order.

        Args:
            origin: Who makes the change; by default the caller of the builder.

        Raises:
            InsertionError: There is no order, or a constraint is broken that was not before.
        """
        return self._edited(origin or caller(self.extension))

    @contextmanager
    def _edited(self, origin: Origin) -> Generator[Edit]:
        known = self.rules.breaches
        with self.all_or_nothing():
            self.sequence.calls += 1
            edit = Edit(self.sequence, self.positions, self.template, origin)
            yield edit
            self.forget()
            if edit.placed:
                for container in {each.parent for each in edit.placed if each.parent}:
                    container.items = ordered(container, edit.placed, self.rules)
                self.forget()
            for about, breach in self.rules.breaches.items():
                if about not in known:
                    breach.refuse()
