"""Tables of registered passes and pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from passel.ir.left_out import report_left_out
from passel.passes.sources import PassInfo, PassPipelineInfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

InfoT = TypeVar("InfoT", PassInfo, PassPipelineInfo)


class Table(Generic[InfoT]):
    """Entries by name, then by the IR that they are for."""

    def __init__(self) -> None:
        self._by_name: dict[str, dict[str, InfoT]] = {}
        self._overriding: set[tuple[str, str]] = set()

    def add(self, info: InfoT, *, override: bool) -> None:
        """Add an entry, in place of what hides it."""
        if not info.ir:
            self._by_name[info.name] = {}
        self._by_name.setdefault(info.name, {})[info.ir] = info
        if override:
            self._overriding.add((info.name, info.ir))

    def overrides(self, info: InfoT) -> bool:
        """Return whether an entry was added to override others."""
        return (info.name, info.ir) in self._overriding

    def find(self, name: str, ir: str) -> InfoT | None:
        """Return the entry of a name, for one IR or for whichever it is."""
        known = self._by_name.get(name, {})
        found = known.get(ir) or known.get("")
        return found if found or ir else next(iter(known.values()), None)

    def entries(self, ir: str) -> Iterator[InfoT]:
        """Yield the entry of each name, for one IR or for whichever it is."""
        return filter(None, (self.find(name, ir) for name in self._by_name))

    def copy(self) -> Table[InfoT]:
        """Return a table with the same entries."""
        other = Table[InfoT]()
        other._by_name = {name: dict(known) for name, known in self._by_name.items()}
        other._overriding = set(self._overriding)
        return other


def concerns(theirs: str, wanted: str) -> bool:
    """Return whether what is for one IR, or for all, is wanted for another one, or for any."""
    return not theirs or not wanted or theirs == wanted


def listed(*entries: Iterable[InfoT]) -> Iterator[InfoT]:
    """Return entries by name, the first of each; what they lack is reported."""
    found: dict[str, InfoT] = {}
    for each in entries:
        for info in each:
            found.setdefault(info.name, info)
    report_left_out()
    return iter([found[name] for name in sorted(found)])
