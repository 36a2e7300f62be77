"""Effects: what passes do outside the IR, by the names under which they declare it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.diagnostics import suggest
from passel.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterable

EFFECTS = {
    "read-files": "reads files",
    "run-programs": "runs programs",
    "write-files": "writes files",
    "unknown": "may do anything outside the IR, as far as is known",
}
"""The effects that a pass may declare, and how errors put them."""


def check_effects(names: Iterable[str], owner: str) -> None:
    """Check the names of effects.

    Args:
        names: The names.
        owner: Who declares or allows them, for messages.

    Raises:
        DefinitionError: There is no such effect.
    """
    for name in names:
        if name not in EFFECTS:
            known = ", ".join(EFFECTS)
            hint = suggest(name, EFFECTS)
            raise DefinitionError(f"{owner}: no such effect '{name}', only {known}{hint}")
