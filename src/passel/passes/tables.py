"""Tables of registered passes and pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from passel.ir.left_out import report_left_out
from passel.passes.sources import PassInfo, PassPipelineInfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

InfoT = TypeVar("InfoT", PassInfo, PassPipelineInfo)


class Table(Generic[InfoT]):
    """Entries by the IR that they are for, then by name."""

    def __init__(self) -> None:
        self._by_ir: dict[str, dict[str, InfoT]] = {"": {}}

    def add(self, info: InfoT) -> None:
        """Add an entry, in place of what hides it."""
        if not info.ir:
            for entries in self._by_ir.values():
                entries.pop(info.name, None)
        self._by_ir.setdefault(info.ir, {})[info.name] = info

    def find(self, name: str, ir: str) -> InfoT | None:
        """Return the entry of a name, for one IR or for whichever it is."""
        for entries in self._visible(ir):
            if name in entries:
                return entries[name]
        return None

    def entries(self, ir: str) -> Iterator[InfoT]:
        """Yield the entries, for one IR or for all."""
        return (info for entries in self._visible(ir) for info in entries.values())

    def copy(self) -> Table[InfoT]:
        """Return a table with the same entries."""
        other = Table[InfoT]()
        other._by_ir = {ir: dict(entries) for ir, entries in self._by_ir.items()}
        return other

    def _visible(self, ir: str) -> Iterable[dict[str, InfoT]]:
        if not ir:
            return self._by_ir.values()
        own = self._by_ir.get(ir)
        return (self._by_ir[""],) if own is None else (own, self._by_ir[""])


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
