"""Trees of passes: what schedules are compiled from, and what options may hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from passel.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.diagnostics import Span
    from passel.passes.base import Pass
    from passel.passes.registry import PassRegistry
    from passel.pipeline import PassNode


class Unbound(NamedTuple):
    """A name that was read before it was known which IR the pipeline runs on.

    The pass that it was taken for may be another one on that IR.

    Attributes:
        node: The name and its options as written.
        registry: Where the name was looked up.
    """

    node: PassNode
    registry: PassRegistry


TreeT_co = TypeVar("TreeT_co", bound="PassTree", covariant=True)


class Entry(NamedTuple, Generic[TreeT_co]):
    """An element of a tree.

    Attributes:
        item: A pass, or a tree for the ops inside.
        span: Its place in the text that it comes from, if it comes from one.
        unbound: What it was written as, if it depends on the IR what that means.
    """

    item: Pass[Any, Any] | TreeT_co
    span: Span | None = None
    unbound: Unbound | None = None


class PassTree(ABC):
    """Passes and trees for the ops inside, in order: a pass manager, for whom it is just that."""

    @property
    @abstractmethod
    def anchor(self) -> str:
        """The name of the ops that it runs on, or `any`."""

    @property
    def jobs(self) -> int | None:
        """How many ops it may run on at once, if the run allows more; None for no limit."""
        return None

    @abstractmethod
    def entries(self) -> Iterator[Entry[PassTree]]:
        """Yield the direct entries in order."""


def checked_jobs(jobs: int | None) -> int | None:
    """Return how many ops something may run on at once, as it was given.

    Raises:
        DefinitionError: It is no positive number.
    """
    if jobs is not None and (type(jobs) is not int or jobs < 1):
        raise DefinitionError(f"jobs is {jobs!r}, which is no positive number")
    return jobs
