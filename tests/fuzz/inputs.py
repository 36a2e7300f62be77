"""Change valid inputs at random until passel takes one of them badly.

    python tests/fuzz/inputs.py                             # until it is interrupted
    python tests/fuzz/inputs.py --seconds 60 --seed 7
    python tests/fuzz/inputs.py bytecode --seed 123 --cases 1

IR as text or bytecode, and the resources behind it, never end passel-opt otherwise than with 0, 1
or 2. The first case that goes wrong is printed, and the exit code is 1.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from itertools import count
from pathlib import Path
from random import SystemRandom
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS: Final = ("ir", "resources", "bytecode")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    # Only pytest knows this folder by itself.
    sys.path.append(str(Path(__file__).parents[1] / "support"))
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help=", ".join(KINDS))
    parser.add_argument("--seconds", type=float, help="stop after this time; default: never")
    parser.add_argument("--seed", type=int, help="start here; default: anywhere")
    parser.add_argument("--cases", type=int, help="stop after so many of each kind")
    options = parser.parse_args(arguments)
    kinds: Sequence[str] = options.kinds or KINDS
    if unknown := {*kinds} - {*KINDS}:
        parser.error(f"'{min(unknown)}' is none of: {', '.join(KINDS)}")
    seed: int = SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"{', '.join(kinds)} from seed {seed} on", flush=True)
    end = None if options.seconds is None else monotonic() + options.seconds
    return _search(kinds, seed, options.cases, end)


def _search(kinds: Sequence[str], first: int, cases: int | None, end: float | None) -> int:
    from random_inputs.tools import problem

    for seed in count(first):
        for kind in kinds:
            done = seed - first
            if (cases is not None and done >= cases) or (end is not None and monotonic() > end):
                print(f"{done} of each kind are taken as they should be")
                return 0
            if found := problem(kind, seed):
                print(f"{kind} --seed {seed} --cases 1: {found}")
                return 1
    raise AssertionError


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
