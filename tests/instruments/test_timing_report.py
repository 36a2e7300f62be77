"""How timing is laid out, as a tree, as a list and in JSON, and that the rows add up."""

from __future__ import annotations

import json

from passel.instruments.timing import Timing
from passel.instruments.timing_report import Timer, timing_report

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


def test_what_a_collection_takes_for_itself_is_rest() -> None:
    """At the top, what is in no row that is shown belongs to `Rest`."""
    pipeline = Timer("'f' Pipeline", wall=0.25, user=0.25)
    hidden = Timer("collection", wall=0.5, user=0.5, hidden=True, children=[pipeline])
    root = Timer("root", wall=1.0, user=1.0, children=[hidden])
    lines = timing_report(root).splitlines()[6:]
    assert [line.split()[0] for line in lines] == ["0.2500", "0.7500", "1.0000"]


def test_a_tree_prints_as_its_report() -> None:
    """`print(result.timing)` shows what `--mlir-timing` does; its totals are those of the tree."""
    assert str(TREE) == timing_report(TREE)
    assert "Execution time report" in str(TREE)
