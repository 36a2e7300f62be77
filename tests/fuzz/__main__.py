"""Give passel random programs, and valid inputs changed at random, until it takes one badly.

    python tests/fuzz                                    # until it is interrupted
    python tests/fuzz --seconds 60 --seed 7
    python tests/fuzz bytecode --seed 123 --cases 1

Programs compute the same before and after random pipelines of passel's own passes. IR as text or
bytecode, and the resources behind it, never end passel-opt otherwise than with 0, 1 or 2. The first
case that goes wrong is printed, and the exit code is 1; `passel-reduce` makes programs small.
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

KINDS: Final = ("programs", "ir", "resources", "bytecode")
_BATCH: Final = 10
"""Programs that are compiled and run together."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    # Only pytest knows this folder by itself.
    sys.path.append(str(Path(__file__).parents[1] / "support"))
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help=f"{', '.join(KINDS)}; default: all")
    parser.add_argument("--seconds", type=float, help="stop after this time; default: never")
    parser.add_argument("--seed", type=int, help="start here; default: anywhere")
    parser.add_argument("--cases", type=int, help="stop after so many of each kind")
    options = parser.parse_args(arguments)
    kinds: Sequence[str] = options.kinds or KINDS
    first: int = SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"{', '.join(kinds)} from seed {first} on", flush=True)
    last = None if options.cases is None else first + options.cases
    end = None if options.seconds is None else monotonic() + options.seconds
    done = 0
    for start in count(first, _BATCH):
        seeds = range(start, start + _BATCH if last is None else min(start + _BATCH, last))
        for kind in kinds:
            if not seeds or (end is not None and monotonic() > end):
                print(f"{done} cases are taken as they should be")
                return 0
            if found := _problem(kind, seeds):
                print(found)
                return 1
            done += len(seeds)
    raise AssertionError


def _problem(kind: str, seeds: Sequence[int]) -> str:
    """Return what is wrong with one of the cases of a kind, or nothing."""
    from random_inputs import problem
    from random_programs.checks import check, random_cases

    if kind == "programs":
        cases = {case: seed for seed in seeds for case in random_cases(seed)}
        for finding in check(cases):
            return f"{kind} --seed {cases[finding.case]} --cases 1: {finding}"
        return ""
    wrong = ((seed, problem(kind, seed)) for seed in seeds)
    return next((f"{kind} --seed {seed} --cases 1: {found}" for seed, found in wrong if found), "")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
