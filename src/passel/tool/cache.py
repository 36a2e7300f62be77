"""The command passel-cache: how many results are kept across runs, and fewer of them."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from passel.store import Store, StoreError, default_directory
from passel.tool.flag_values import CACHE_MODES

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "passel-cache"
_MEBIBYTE = 2**20


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-cache.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if all went well, 1 if the store cannot be used. For a wrong command
        line, the process exits with 2.
    """
    arguments = _parser().parse_args(argv)
    store = Store(arguments.dir or _directory(), writes=arguments.command != "stats")
    try:
        if arguments.command == "prune":
            store.prune(arguments.limit * _MEBIBYTE)
        elif arguments.command == "clear":
            store.clear()
        entries, size = store.statistics()
    except StoreError as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return 1
    print(f"{store.directory}: {entries:,} entries, {size / _MEBIBYTE:,.1f} MiB")
    return 0


def _directory() -> Path:
    """Return the directory that passel-opt uses."""
    said = os.environ.get("PASSEL_CACHE", "")
    return Path(said).expanduser() if said and said not in CACHE_MODES else default_directory()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        PROGRAM,
        description="Look after the results that passel-opt --cache keeps.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "command",
        choices=("stats", "prune", "clear"),
        help="count the results, drop those not used for longest, or drop all",
    )
    parser.add_argument(
        "--dir", type=Path, metavar="DIR", help="by default $PASSEL_CACHE or ~/.cache/passel"
    )
    parser.add_argument(
        "--limit",
        type=_limit,
        default=256,
        metavar="MIB",
        help="how much prune leaves; by default 256",
    )
    return parser


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"takes a number of MiB, not '{text}'")
    return int(text)
