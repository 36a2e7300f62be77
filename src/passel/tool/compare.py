"""The command passel-compare: which passes of a compiler got slower, or do something else."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from passel.errors import PasselError
from passel.ir.frontend import UsageError
from passel.record import Record
from passel.search.comparing import PassFacts, Row, compare, facts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.search.comparing import Comparison

PROGRAM = "passel-compare"

_NOTES = """\
OLD and NEW are records (passel-opt --record=FILE) of the same pipeline on the same input, or
folders with several: times scatter, so that a pass is called slower only if that is no chance,
which takes nine runs or so of each. How fast the machine was in each run is left out. For CI:

  for n in 1 2 3 4 5 6 7 8 9 10; do
    old/passel-opt in.mlir -p @pipeline.yaml --record=old-records/$n -o /dev/null
    new/passel-opt in.mlir -p @pipeline.yaml --record=new-records/$n -o /dev/null
  done
  passel-compare old-records new-records

The exit code is 1 if a pass is slower, and 2 if there is nothing to compare.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-compare.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if no pass is slower, 1 if one is, 2 if records cannot be read. For a
        wrong command line, the process exits with 2.
    """
    arguments = _parser().parse_args(argv)
    try:
        old, new = _facts(Path(arguments.old)), _facts(Path(arguments.new))
        found = compare(old, new, threshold=arguments.threshold)
    except PasselError as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        print(json.dumps(_data(found), indent=2))
    else:
        _show(found, every=arguments.all)
    return int(found.is_slower)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        PROGRAM,
        description="Compare two compilers by what recorded runs of them say.",
        epilog=_NOTES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("old", metavar="OLD", help="a record of the old compiler, or a folder")
    parser.add_argument("new", metavar="NEW", help="the same of the new one")
    parser.add_argument(
        "--threshold",
        type=_threshold,
        default=1.05,
        metavar="RATIO",
        help="from which ratio of times on a pass is slower; by default 1.05",
    )
    parser.add_argument("--all", action="store_true", help="show also passes that are as they were")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    return parser


def _threshold(text: str) -> float:
    value = float(text)
    if not value > 1:
        raise argparse.ArgumentTypeError(f"expected a ratio above 1, such as 1.05, not {text}")
    return value


def _facts(path: Path) -> Sequence[Mapping[str, PassFacts]]:
    """Return the facts of a record, or of all in a folder.

    Raises:
        UsageError: The folder is empty.
        RecordError: A file is no record.
    """
    files = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
    if not files:
        raise UsageError(f"there are no records in '{path}'")
    return [facts_of(Record.open(each).executions) for each in files]


def _data(found: Comparison) -> Mapping[str, object]:
    rows = [
        {
            "path": row.path,
            "old": [each.time for each in row.old],
            "new": [each.time for each in row.new],
            "ratio": row.ratio,
            "verdict": row.verdict,
            "differences": list(row.differences),
        }
        for row in found.rows
    ]
    return {"passes": rows, "machine": found.machine, "threshold": found.threshold}


def _show(found: Comparison, *, every: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    shown = [row for row in found.rows if every or row.verdict or row.differences]
    table = Table(box=None, pad_edge=False)
    for title in ("old ms", "new ms", "ratio"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("pass", overflow="fold")
    styles = {"slower": "bold red", "faster": "green", "added": "cyan", "removed": "cyan"}
    for row in shown:
        cells = [_time(row.old), _time(row.new), "" if row.ratio is None else f"{row.ratio:.2f}"]
        verdict = Text(row.verdict, styles.get(row.verdict, ""))
        table.add_row(*cells, verdict, Text("; ".join([row.path, *row.differences])))
    if shown:
        console.print(table)
    counts = {v: sum(row.verdict == v for row in found.rows) for v in ("slower", "faster")}
    same = len(found.rows) - len(shown)
    hidden = f", {same} passes are as they were" if same else ""
    print(f"{counts['slower']} slower, {counts['faster']} faster{hidden}")
    if abs(found.machine - 1) >= found.threshold - 1:
        print(
            f"all passes take {found.machine:.2f} times as long: another machine, or other work "
            "on it?"
        )


def _time(facts: Sequence[PassFacts]) -> str:
    """Return times as their median and their spread, in milliseconds."""
    if not facts:
        return ""
    middle = f"{Row.time(facts) * 1000:.2f}"
    return middle if len(facts) == 1 else f"{middle} ± {Row.spread(facts) * 1000:.2f}"
