"""`passel-reduce` against what a person would report: at most 1.5 times the ops in each case."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from measuring import wants_quick

from passel.frontend.generic_form import parse_generic
from passel.ir import PrintFlags
from passel.search.starting import printed

CORPUS = Path(__file__).parents[1] / "tests" / "search"
sys.path.insert(0, str(CORPUS))

from corpus import Input, grown, inputs, subject_of  # noqa: E402 - its folder is no package

if TYPE_CHECKING:
    from passel.search import Subject


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
    found = re.search(r"(\d+) checks, (\d+) invalid", done.stderr)
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
    cases = list(inputs())[:: 9 if wants_quick() else 1]
    print("| case | IR | ops | report | passel | characters | calls | invalid |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    ratios: list[float] = []
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
            print(
                f"| {each.name} | {each.ir} | {start} | {report} | {ops} "
                f"| {own_length / length:.2f} | {found.calls} | {found.invalid} |",
                flush=True,
            )
    print(f"\nworst ratio of ops to the report: {max(ratios):.2f} in {len(ratios)} cases")


if __name__ == "__main__":
    main()
