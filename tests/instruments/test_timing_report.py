"""How timing is laid out, as a tree, as a list and in JSON, and that the rows add up."""

from __future__ import annotations

import json

from passel.instruments.timer import Timer
from passel.instruments.timing import Timing
from passel.instruments.timing_report import timing_report

TREE = Timer(
    "root",
    wall=0.002,
    user=0.002,
    children=[
        Timer("Parser", wall=0.0005, user=0.0005),
        Timer(
            "Pipeline Collection : ['f']",
            wall=0.001,
            user=0.001,
            hidden=True,
            children=[
                Timer(
                    "'f' Pipeline",
                    wall=0.0009,
                    user=0.0009,
                    children=[Timer("CSE", wall=0.0003, user=0.0003)],
                )
            ],
        ),
        Timer("CSE", wall=0.0001, user=0.0001),
    ],
)


def test_columns_are_chosen_and_ordered_by_name() -> None:
    """Time of its own is time without nested rows."""
    report = timing_report(TREE, columns=("self", "user"))
    assert report.splitlines()[5:] == [
        "  ----Self Time----  ----User Time----  ----Name----",
        "    0.0005 ( 25.0%)    0.0005 ( 25.0%)  Parser",
        "    0.0006 ( 30.0%)    0.0009 ( 45.0%)  'f' Pipeline",
        "    0.0003 ( 15.0%)    0.0003 ( 15.0%)    CSE",
        "    0.0001 (  5.0%)    0.0001 (  5.0%)  CSE",
        "    0.0005 ( 25.0%)    0.0005 ( 25.0%)  Rest",
        "    0.0020 (100.0%)    0.0020 (100.0%)  Total",
    ]


def test_json_has_the_chosen_columns() -> None:
    """Fields are those of the columns, in their order."""
    report = timing_report(TREE, output_format="json", columns=("wall", "self"))
    rows = json.loads(report)
    assert rows[1]["self"] == {"duration": 0.0006, "percentage": 30.0}
    assert list(rows[-1]) == ["wall", "self", "name"]


def test_json_list_has_no_passes() -> None:
    """A list is flat."""
    rows = json.loads(timing_report(TREE, display="list", output_format="json"))
    assert [row["name"] for row in rows][-2:] == ["Rest", "Total"]
    assert not any("passes" in row for row in rows)


def test_json_is_valid_whatever_names_are() -> None:
    """Names are escaped, which MLIR does not do."""
    tree = Timer("root", children=[Timer('a "b"\n\\')])
    assert json.loads(timing_report(tree, output_format="json"))[0]["name"] == 'a "b"\n\\'


def test_nothing_measured_is_no_division_by_zero() -> None:
    """An empty tree has a report."""
    assert "0.0000 (  0.0%)  Total" in timing_report(Timing().timing)


# -- Collections, which are not shown --------------------------------------------------------

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
