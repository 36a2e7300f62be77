"""Reports of passes on an op, with what they have counted there, as data."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import Diagnostic, Extent, Location, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_HERE = True
"""In place of a file's name: that of the op's text, where lines are counted from the op."""


class Report(NamedTuple):
    """Diagnostics and statistics of passes on an op.

    Attributes:
        diagnostics: What they have reported, in order.
        counts: What they have counted, by the pass's path and the statistic's name.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    counts: Mapping[tuple[str, str], int] = MappingProxyType({})

    def to_data(self, extent: Callable[[], Extent]) -> list[Any]:
        """Return it as JSON has it, with places in an op counted from where that begins.

        Raises:
            ValueError: It holds for an op in this place alone, or is about an error.
        """
        counts = [[*key, amount] for key, amount in self.counts.items()]
        here = extent() if self.diagnostics else None
        return [[_diagnostic_data(each, here) for each in self.diagnostics if here], counts]

    @classmethod
    def of_data(cls, data: Any, extent: Callable[[], Extent]) -> Report:
        """Return what data stand for where an op is now.

        Raises:
            ValueError, TypeError, AttributeError: They are no such data.
        """
        diagnostics, counts = data
        if not diagnostics and not counts:
            return _NOTHING
        here = extent() if diagnostics else None
        return cls(
            tuple(_diagnostic(each, here) for each in diagnostics if here),
            {(str(path), str(name)): int(amount) for path, name, amount in counts},
        )


_NOTHING = Report()


def _diagnostic_data(diagnostic: Diagnostic, extent: Extent) -> list[Any]:
    if diagnostic.severity is Severity.ERROR:
        raise ValueError("errors are not kept")
    return [
        diagnostic.severity.value,
        diagnostic.message,
        _location_data(diagnostic.location, extent),
        [_diagnostic_data(each, extent) for each in diagnostic.notes],
        diagnostic.origin,
    ]


def _diagnostic(data: Any, extent: Extent) -> Diagnostic:
    severity, message, location, notes, origin = data
    return Diagnostic(
        Severity(severity),
        str(message),
        _location(location, extent),
        [_diagnostic(each, extent) for each in notes],
        str(origin),
    )


def _location_data(location: Location, extent: Extent) -> list[Any]:
    file, line, column, label, caller, source = location
    there: str | bool | None = file
    if file == extent.name:
        if not extent.first <= line <= extent.last:
            raise ValueError("a place elsewhere in the text may be another one the next time")
        there, line = _HERE, line - extent.first
    return [there, line, column, label, caller and _location_data(caller, extent), source]


def _location(data: Any, extent: Extent) -> Location:
    file, line, column, label, caller, source = data
    if file is _HERE:
        file, line = extent.name, line + extent.first
    above = None if caller is None else _location(caller, extent)
    return Location(file, int(line), int(column), str(label), above, str(source))
