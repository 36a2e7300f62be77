"""passel-report: show a recorded run, or the differences between two runs.

Usage: passel-report <record> [<new record>] [flags]

Examples:
  passel-report run.passel
  passel-report run.passel --step=cse --op=@main --diff
  passel-report run.passel -o report.html
  passel-report old.passel new.passel
  passel-report old.passel new.passel -o comparison.html

passel-opt --record=<file> writes a record. By default, the report shows the pipeline with the times
and changes of its passes. With --step, the report shows the changes of one pass. For two records of
the same input, the report compares the times and statistics of each pass and counts the ops on
which the results differ. With --diff, the report shows changes or differences as diffs. With -o,
the program writes the full report as an HTML page.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import suggest
from passel.frontend import UsageError
from passel.instruments.ir_diff import coloured, unified_diff
from passel.instruments.terminals import shows_color, styled
from passel.notebooks import Line, aligned
from passel.record import Record
from passel.record.outline import compared, ending, heading, lines_of, title_of
from passel.record.page import page
from passel.search import Place
from passel.tool.command_line import FlagGroup, flag
from passel.tool.flags import DiagnosticFlags
from passel.tool.output import put, refuse_overwriting_record
from passel.tool.process import collector_held
from passel.tool.programs import Program, run_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.record import Execution
    from passel.record.outline import ComparedRow


class _Flags(FlagGroup):
    """Report."""

    o: str = flag("write the report as an HTML page", "<file.html>")
    step: str = flag("show this pass: its name, or its path in the pipeline", "<path>")
    op: str = flag(
        "show this op after the pass of --step, or after each pass that changes it", "<@name>"
    )
    diff: bool = flag("show changes as diffs")
    generic: bool = flag("print IR in generic form with locations, as in the record")
    color: Any = DiagnosticFlags.flags["color"]


PROGRAM = Program(__doc__, _Flags)


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-report.

    Args:
        argv: The command-line arguments; by default `sys.argv[1:]`.

    Returns:
        The exit code: 0 on success, or 1 after an error in the command line, the record or the
        output.
    """
    return run_program(PROGRAM, argv, _run)


def _run(flags: _Flags) -> int:
    line = flags.line
    if len(line.inputs) not in (1, 2):
        raise UsageError("expected one or two records, as in passel-report run.passel")
    if len(line.inputs) > 1 and (flags.step or flags.op):
        raise UsageError("--step and --op take one record; to compare two records, use --diff")
    if flags.o and {each.flag.name for each in line.flags} - {"o", "color"}:
        raise UsageError("-o writes the full report: omit --step and similar flags")
    records = [Record.open(each) for each in line.inputs]
    for each in line.inputs:
        refuse_overwriting_record(each, flags.o)
    if flags.o:
        names = [str(record.path) for record in records]
        title = " and ".join(Path(name).name for name in names)
        with collector_held():  # thousands of ops live until the report is printed
            return put(page(title, zip(names, records, strict=True)), flags.o)
    record, *others = records
    if others:
        return put(_comparison(record, others[0], flags))
    if flags.step or flags.op or flags.diff:
        return put("".join(_steps(record, flags)))
    return put(_printed(lines_of(record, most_diffs=0), flags))


# -- Two records ---------------------------------------------------------------------------------


def _comparison(old: Record, new: Record, flags: _Flags) -> str:
    """Return the comparison of two records: a table or, with `--diff`, the differences."""
    rows = list(compared(old, new))
    if flags.diff:
        return "".join(_differences(old, new, rows, flags))
    return _printed(_compared(old, new, rows), flags)


def _compared(old: Record, new: Record, rows: Iterable[ComparedRow]) -> Iterator[Line]:
    sides = (("old", old), ("new", new))
    for name, record in sides:
        yield from (Line(f"{name}: {heading(record, run)}") for run in record.info.top_runs)
    titles = ("", "ops", "differ", "old time", "new time", "")
    table = aligned([titles, *((title_of(each.row), *_cells(each)) for each in rows)])
    yield from map(Line, table)
    for name, record in sides:
        for run in record.info.top_runs:
            yield from (Line(f"{name} {line}", is_error=True) for line in ending(record, run))


def _cells(row: ComparedRow) -> tuple[object, ...]:
    if not row.row.is_pass:
        return ("", "", "", "", _only(row))
    times = (f"{1000 * side.own_time:.1f} ms" if side else "" for side in row)
    counts = "; ".join(f"{name}: {was} → {now}" for name, (was, now) in row.counts().items())
    return (len(row.row.executions), len(row.differing()) or "", *times, _only(row) or counts)


def _differences(
    old: Record, new: Record, rows: Sequence[ComparedRow], flags: _Flags
) -> Iterator[str]:
    """Yield a diff for each op at each pass where results start to differ."""
    is_same = True
    for row in rows:
        if not row.row.is_pass:
            continue
        if one := _only(row):
            yield f"// {row.row.path}: {one}\n"
        for pair in row.differing():
            sides = list(zip((old, new), pair, strict=True))
            title = next(each for each in reversed(pair) if each is not None)
            statuses = (each.status if each else "did not run" for each in pair)
            yield f"// {title.path} on {title.op_title}: {' → '.join(statuses)}\n"
            before, after = (_text(record, e, e.after, flags) if e else "" for record, e in sides)
            yield _diff(before, after, flags)
            is_same = False
    if is_same:
        yield "// the IR is the same after every pass that ran in both records\n"


def _only(row: ComparedRow) -> str:
    return "only new" if not row.old else "" if row.new else "only old"


# -- A pass --------------------------------------------------------------------------------------


def _steps(record: Record, flags: _Flags) -> Iterator[str]:
    """Yield the changes by one or all passes to one or all ops."""
    symbol: str = flags.op.removeprefix("@")
    found = [*record.executions, *record.running]
    path = (
        Place.of(flags.step, list(dict.fromkeys(e.path for e in found))).path if flags.step else ""
    )
    found = [e for e in found if not path or e.path == path]
    if symbol:
        found = _executions_on(found, symbol, path)
    shown = [e for e in found if (path and symbol) or e.status != "unchanged"]
    for each in shown:
        yield from _execution(record, each, flags)
    if not path:
        yield "" if shown else f"// no pass changed {flags.op or 'anything'}\n"
        return
    if rest := len(found) - len(shown):
        yield f"// {path} left {rest} {'op' if rest == 1 else 'ops'} unchanged\n"
    last, is_one = found[-1], len(found) == 1 or found[-1].status == "running"
    if again := record.replay(last) if is_one else record.replay_of_pass(path, last.run):
        yield f"// to run it again: {again}\n"


def _executions_on(found: Sequence[Execution], symbol: str, path: str) -> list[Execution]:
    if on_it := [e for e in found if e.symbol == symbol]:
        return on_it
    hint = suggest(f"@{symbol}", [f"@{each.symbol}" for each in found if each.symbol])
    who = f"'{path}' did not run" if path else "no pass ran"
    raise UsageError(f"{who} on @{symbol}{hint}")


def _execution(record: Record, execution: Execution, flags: _Flags) -> Iterator[str]:
    location = execution.location
    where = f" at {location}" if location.line else ""
    time = f"{1000 * execution.own_time:.2f} ms"
    is_running = execution.status == "running"
    how = "did not end; the IR before the pass:" if is_running else f"{execution.status}, {time}"
    yield f"// {execution.path} on {execution.op_title}{where}: {how}\n"
    for name, count in execution.counts.items():
        yield f"// {name}: {count}\n"
    for diagnostic in execution.diagnostics:
        yield "".join(f"// {line}\n" for line in str(diagnostic).splitlines())

    before, after = execution.before, execution.after
    if is_running or not flags.diff:
        yield _text(record, execution, before if is_running else after, flags)
    elif before != after or before is None:
        old, new = (_text(record, execution, each, flags) for each in (before, after))
        yield _diff(old, new, flags)


def _text(record: Record, execution: Execution, digest: str | None, flags: _Flags) -> str:
    if digest is None:
        return "// not known\n"
    if flags.generic:
        return f"{record.text(digest)}\n"
    return f"{record.readable(digest, run=execution.run)}\n"


def _diff(before: str, after: str, flags: _Flags) -> str:
    diff = unified_diff(before, after)
    return coloured(diff) if shows_color(sys.stdout, flags.color) else diff


def _printed(lines: Iterable[Line], flags: _Flags) -> str:
    """Return the lines of a report as text for standard output, with errors in red."""
    red = "red" if shows_color(sys.stdout, flags.color) else ""
    return "".join(styled(each.text, red if each.is_error else "") + "\n" for each in lines)
