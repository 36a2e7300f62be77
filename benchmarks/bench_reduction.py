"""`passel-reduce` against what a person would report, and against Shrink Ray.

The targets: at most 1.5 times the ops of the report in each case, and at most a fifth of Shrink
Ray's calls of the oracle. Shrink Ray is stopped at five times passel's calls, those for invalid
cases included, which it cannot tell; where it is still at work then, the target is met. It is
measured if it is on the path: `pip install shrinkray`, in an environment of its own.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from measuring import wants_quick

from passel.ir import PrintFlags
from passel.search import Case, SameFailure, Subject, Trials, failure_of, printed
from passel.search.generic import parse_generic
from passel.search.text import shrink_text

CORPUS = Path(__file__).parents[1] / "tests" / "search"
sys.path.insert(0, str(CORPUS))

from corpus import Input, grown, inputs, subject_of  # noqa: E402 - its folder is no package


class Reduced(NamedTuple):
    """A result of passel-reduce."""

    text: str
    calls: int
    invalid: int


def reduced(each: Input, source: Path, result: Path) -> Reduced:
    """Return what passel-reduce makes of a case."""
    program = Path(sys.executable).with_name("passel-reduce")
    words = [f"--ir={each.ir}", f"--load-pass-plugin={CORPUS / 'corpus.py'}", "-p", each.pipeline]
    done = subprocess.run(
        [program, source, "-o", result, "-j1", *words], text=True, capture_output=True, check=True
    )
    found = re.search(r"(\d+) calls of the oracle, (\d+) invalid", done.stderr)
    assert found, done.stderr
    return Reduced(result.read_text().partition("\n{-#")[0], int(found[1]), int(found[2]))


def ops_and_length(subject: Subject, text: str) -> tuple[int, int]:
    """Return how many ops a text has, and how many characters that are no spaces."""
    generic = printed(subject, text)
    assert generic is not None, text
    custom = printed(subject, text, PrintFlags(local_scope=True)) or generic
    ops = sum(1 for _ in parse_generic(generic).walk())
    return ops, len("".join(custom.split()))


def main() -> None:
    """Reduce all cases, or some of each kind, and print a table."""
    shrinkray = shutil.which("shrinkray")
    cases = list(inputs())[:: 9 if wants_quick() else 1]
    print("| case | IR | ops | report | passel | characters | calls | invalid | Shrink Ray |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    ratios: list[float] = []
    slower = 0
    for each in cases:
        subject = subject_of(each.ir)
        with tempfile.TemporaryDirectory() as folder:
            source, result = Path(folder, "in.mlir"), Path(folder, "out.mlir")
            source.write_text(grown(each.report))
            found = reduced(each, source, result)
            start, _ = ops_and_length(subject, source.read_text())
            report, length = ops_and_length(subject, each.report)
            ops, own_length = ops_and_length(subject, found.text)
            ratios.append(ops / report)
            other = ""
            if shrinkray:
                budget = 5 * (found.calls + found.invalid)
                case = Case(source.read_text(), each.pipeline)
                identity = failure_of(subject, case)
                assert identity is not None
                trials = Trials(SameFailure(subject, identity))
                shrunk = shrink_text(shrinkray, case, trials, limit=budget)
                slower += not shrunk.is_done
                sign = "" if shrunk.is_done else "> "
                left, _ = ops_and_length(subject, shrunk.case.ir)
                other = f"{sign}{shrunk.questions} calls, {left} ops"
            print(
                f"| {each.name} | {each.ir} | {start} | {report} | {ops} "
                f"| {own_length / length:.2f} | {found.calls} | {found.invalid} | {other} |",
                flush=True,
            )
    print(f"\nworst ratio of ops to the report: {max(ratios):.2f} in {len(ratios)} cases")
    if shrinkray:
        print(f"Shrink Ray was not done after five times the calls in {slower} cases")


if __name__ == "__main__":
    main()
