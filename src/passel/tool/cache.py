"""The command passel-cache: how many results are kept across runs, and fewer of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from passel.ir.frontend import UsageError
from passel.store import default_place, open_store
from passel.tool.flag_groups import FlagGroup, flag
from passel.tool.flag_values import CACHE_MODES, number_of
from passel.tool.help import Program
from passel.tool.output import put
from passel.tool.program import run_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.tool.flags import CommandLine

_MEBIBYTE = 2**20
_COMMANDS = ("stats", "prune", "clear")


class _Flags(FlagGroup):
    """Results kept across runs."""

    dir: str = flag("their directory or URL; by default $PASSEL_CACHE or ~/.cache/passel", "<dir>")
    limit: int = flag("how many MiB prune leaves; by default 256", "<n>", 256, parse=number_of)


PROGRAM = Program.of(
    "passel-cache",
    "look after the results that passel-opt --cache keeps",
    "<stats|prune|clear>",
    _Flags,
    """\
  passel-cache stats
  passel-cache prune --limit=100
""",
    """\
Results are counted, those that were not used for longest are dropped, or all are.

The exit code is 1 if the store cannot be used.
""",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-cache.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if all went well, 1 if the command line is wrong or the store cannot be
        used.
    """
    return run_program(PROGRAM, argv, _run)


def _run(line: CommandLine) -> int:
    flags = _Flags(line)
    command = line.inputs[0] if len(line.inputs) == 1 else ""
    if command not in _COMMANDS:
        raise UsageError(f"say what to do: {', '.join(_COMMANDS)}")
    place = flags.dir or _place()
    store = open_store(place, writes=command != "stats")
    if command == "prune":
        store.prune(flags.limit * _MEBIBYTE)
    elif command == "clear":
        store.clear()
    entries, size = store.statistics()
    put(f"{store.name}: {entries:,} entries, {size / _MEBIBYTE:,.1f} MiB\n")
    return 0


def _place() -> str:
    """Return where passel-opt keeps results."""
    said = os.environ.get("PASSEL_CACHE", "")
    return said if said and said not in CACHE_MODES else default_place()
