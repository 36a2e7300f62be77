"""The command passel-compare: which passes of a compiler got slower, or do something else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.ir.frontend import UsageError
from passel.record import Record
from passel.search.comparing import PassFacts, Row, compare, facts_of
from passel.tool.flag_groups import DiagnosticFlags, FlagGroup, flag
from passel.tool.help import Program
from passel.tool.output import laid_out, put
from passel.tool.program import run_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType

    from passel.search.comparing import Comparison
    from passel.tool.flags import CommandLine


def _ratio_of(text: str) -> float:
    """Return a ratio above 1.

    Raises:
        ValueError: It is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not value > 1:
        raise ValueError(f"takes a ratio above 1, such as 1.05, not '{text}'")
    return value


class _Flags(FlagGroup):
    """Comparison."""

    threshold: float = flag(
        "from which ratio of times on a pass is slower; by default 1.05",
        "<ratio>",
        1.05,
        parse=_ratio_of,
    )
    all: bool = flag("show also passes that are as they were")
    json: bool = flag("print the comparison as JSON")
    color: Any = DiagnosticFlags.flags["color"]


PROGRAM = Program.of(
    "passel-compare",
    "compare two compilers by what recorded runs of them say",
    "<old> <new>",
    _Flags,
    """\
  for n in 1 2 3 4 5 6 7 8 9 10; do
    old/passel-opt in.mlir -p @pipeline.yaml --record=old-records/$n -o /dev/null
    new/passel-opt in.mlir -p @pipeline.yaml --record=new-records/$n -o /dev/null
  done
  passel-compare old-records new-records
""",
    """\
Old and new are records (passel-opt --record=<file>) of the same pipeline on the same input, or
folders with several: times scatter, so that a pass is called slower only if that is no chance,
which takes nine runs or so of each. How fast the machine was in each run is left out.

The exit code is 1 if a pass is slower, and 2 if there is nothing to compare.
""",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-compare.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if no pass is slower, 1 if one is, 2 if the command line is wrong or
        records cannot be read.
    """
    return run_program(PROGRAM, argv, _run, failure=2)


def _run(line: CommandLine) -> int:
    flags = _Flags(line)
    if len(line.inputs) != 2:  # noqa: PLR2004 - an old and a new one
        raise UsageError("name an old and a new record, or folders: passel-compare old new")
    old, new = (_facts(Path(each)) for each in line.inputs)
    found = compare(old, new, threshold=flags.threshold)
    if flags.json:
        put(f"{json.dumps(_data(found), indent=2)}\n")
    else:
        put(laid_out(*_shown(found, every=flags.all), color=flags.color))
    return int(found.is_slower)


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


def _shown(found: Comparison, *, every: bool) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

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
        yield table
    counts = {v: sum(row.verdict == v for row in found.rows) for v in ("slower", "faster")}
    same = len(found.rows) - len(shown)
    hidden = f", {same} as before" if same else ""
    yield Text(f"{counts['slower']} slower, {counts['faster']} faster{hidden}")
    if abs(found.machine - 1) >= found.threshold - 1:
        yield Text(
            f"all passes take {found.machine:.2f} times as long: another machine, or other work "
            "on it?"
        )


def _time(facts: Sequence[PassFacts]) -> str:
    """Return times as their median and their spread, in milliseconds."""
    if not facts:
        return ""
    middle = f"{Row.time(facts) * 1000:.2f}"
    return middle if len(facts) == 1 else f"{middle} ± {Row.spread(facts) * 1000:.2f}"
