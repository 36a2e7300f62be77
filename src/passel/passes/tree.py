"""Trees of passes: what schedules are compiled from, and what options may hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.diagnostics import Span
    from passel.passes.base import Pass


class PassTree(ABC):
    """Passes and trees for the ops inside, in order: a pass manager, for whom it is just that."""

    @property
    @abstractmethod
    def anchor(self) -> str:
        """The name of the ops that it runs on, or `any`."""

    @abstractmethod
    def located(self) -> Iterator[tuple[Pass[Any, Any] | PassTree, Span | None]]:
        """Yield the direct entries in order, each with its place in the text if it has one."""
