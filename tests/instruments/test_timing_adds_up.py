"""The rows of a timing report add up, though collections of one pipeline are not shown."""

from __future__ import annotations

from passel.instruments.timer import Timer
from passel.instruments.timing_report import timing_report

_PIPELINE = Timer("'f' Pipeline", wall=0.25)
_HIDDEN = Timer("collection", wall=0.5, hidden=True, children=[_PIPELINE])


def _column(root: Timer, column: str) -> list[str]:
    lines = timing_report(root, columns=(column,)).splitlines()[6:]
    return [line.split()[0] for line in lines]


def test_what_a_collection_takes_for_itself_is_rest() -> None:
    """At the top, what is in no row that is shown belongs to `Rest`."""
    root = Timer("root", wall=1.0, children=[_HIDDEN])
    assert _column(root, "wall") == ["0.2500", "0.7500", "1.0000"]


def test_what_a_collection_takes_for_itself_is_its_outer_rows_own() -> None:
    """Further in, it belongs to the row around it."""
    root = Timer("root", wall=1.0, children=[Timer("Outer", wall=1.0, children=[_HIDDEN])])
    assert _column(root, "self") == ["0.7500", "0.2500", "0.0000", "1.0000"]
