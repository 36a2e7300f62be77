"""The command passel-report: what a recorded run did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.ir.frontend import UsageError
from passel.record import Record
from passel.tool.help import Program
from passel.tool.output import put
from passel.tool.program import run_program
from passel.tool.record_page import write_page
from passel.tool.record_text import ViewFlags, comparison, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.tool.flags import CommandLine


PROGRAM = Program.of(
    "passel-report",
    "show what a recorded run did, or how two differ",
    "<record> [<new record>]",
    ViewFlags,
    """\
  passel-report run.record
  passel-report run.record --step=cse --op=@main --diff
  passel-report run.record -o report.html
  passel-report old.record new.record
  passel-report old.record new.record -o comparison.html
""",
    """\
A record is written by passel-opt --record=<file>. Without -o, the pipeline is printed with times
and changes; with --step, what a pass did to ops. Of two records of one input it is printed on how
many ops the result of a pass differs, its times and other statistics; with --diff, the results.
With -o, all of it is on a page for a browser.
""",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-report.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if all went well, 1 if something is wrong with the command line, the
        record or the output.
    """
    return run_program(PROGRAM, argv, _run)


def _run(line: CommandLine) -> int:
    flags = ViewFlags(line)
    if len(line.inputs) not in (1, 2):
        raise UsageError("name a record, or two: passel-report run.record")
    if len(line.inputs) > 1 and (flags.step or flags.op):
        raise UsageError("--step and --op are about one record: --diff shows how two differ")
    if flags.o and line.given.keys() - {"o", "color"}:
        raise UsageError(
            "-o writes a page with everything: --step and the like are about terminals"
        )
    records = [Record.open(each) for each in line.inputs]
    if flags.o:
        return write_page(records, flags.o)
    old, *new = records
    return put(comparison(old, new[0], flags) if new else shown(old, flags))
