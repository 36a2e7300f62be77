"""Run random programs before and after passes until one computes something else.

    python tests/fuzz/programs.py                      # until it is interrupted
    python tests/fuzz/programs.py --seconds 60 --seed 7

Each seed is a program and some random pipelines of passel's own passes. The first case that
goes wrong is printed, and the exit code is 1; `passel-reduce` makes it small.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from itertools import count
from pathlib import Path
from random import SystemRandom
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_BATCH = 10
"""Programs that are compiled and run together."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    # Only pytest knows this folder by itself.
    sys.path.append(str(Path(__file__).parents[1] / "support"))
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="stop after this time; default: never")
    parser.add_argument("--seed", type=int, help="start here; default: anywhere")
    parser.add_argument("--programs", type=int, help="stop after so many programs")
    parser.add_argument("--pipelines", type=int, default=3, help="for each program; default: 3")
    options = parser.parse_args(arguments)
    seed: int = SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"programs from seed {seed} on", flush=True)
    end = None if options.seconds is None else monotonic() + options.seconds
    return _search(seed, options.programs, end, options.pipelines)


def _search(first: int, programs: int | None, end: float | None, pipelines: int) -> int:
    from random_programs.checks import check, random_cases

    for start in count(first, _BATCH):
        done = start - first if programs is None else min(start - first, programs)
        if (end is not None and monotonic() > end) or (programs is not None and done >= programs):
            print(f"{done} programs compute the same after {done * pipelines} pipelines")
            return 0
        last = start + _BATCH if programs is None else min(start + _BATCH, first + programs)
        cases = {
            case: seed for seed in range(start, last) for case in random_cases(seed, pipelines)
        }
        if findings := check(cases):
            print(f"seed {cases[findings[0].case]}: {findings[0]}")
            return 1
    raise AssertionError


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
