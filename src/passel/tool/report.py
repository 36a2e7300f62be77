"""The command passel-report: what a recorded run did."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from passel.errors import PasselError
from passel.record import Record
from passel.specification.command import write
from passel.tool.record_page import write_page
from passel.tool.record_text import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "passel-report"


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-report.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if all went well, 1 if something is wrong with the record or the output.
        For a wrong command line, the process exits with 2.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.new is not None and arguments.output is None:
        parser.error("two records are compared on a page: say where, with -o FILE.html")
    chosen = ("step", "op", "diff", "blame", "locations", "generic")
    if arguments.output is not None and any(getattr(arguments, name) for name in chosen):
        parser.error("-o writes a page with everything: --step and the like are about terminals")
    try:
        record = Record.open(arguments.record)
        if arguments.output is None:
            write(shown(record, arguments), "-")
        else:
            new = [] if arguments.new is None else [Record.open(arguments.new)]
            write_page([record, *new], arguments.output)
    except PasselError as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        PROGRAM,
        description="Show what a run did that was recorded with passel-opt --record.",
        allow_abbrev=False,
    )
    parser.add_argument("record", metavar="RECORD", help="the record")
    parser.add_argument(
        "new", metavar="NEW", nargs="?", help="another record that it is compared with, on a page"
    )
    parser.add_argument(
        "-o", dest="output", metavar="FILE.html", help="write a page for a browser with everything"
    )
    parser.add_argument(
        "--step", metavar="PATH", help="show a pass: its path, an end of it, or its name"
    )
    parser.add_argument("--op", metavar="@NAME", default="", help="only on this op")
    parser.add_argument("--diff", action="store_true", help="show what changed")
    parser.add_argument(
        "--blame",
        action="store_true",
        help="show for each op which pass has made it, and from where in the input",
    )
    parser.add_argument("--locations", action="store_true", help="with locations")
    parser.add_argument(
        "--generic", action="store_true", help="IR in generic form, as it is recorded"
    )
    parser.add_argument(
        "--color", choices=["auto", "always", "never"], default="auto", help="colour the output"
    )
    return parser
