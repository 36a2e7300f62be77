"""Reduction of the text by another program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from passel.search import Case, Trials, Verdict
from passel.search.text import shrink_text

if TYPE_CHECKING:
    from pathlib import Path

    from passel.search.children import Died, Scratch

# A program with Shrink Ray's command line, which leaves out one line after another.
_PROGRAM = """\
#!{python}
import subprocess, sys
_, _, test, file = sys.argv
lines = open(file).read().splitlines()
for line in list(lines):
    left = [each for each in lines if each is not line]
    if not subprocess.run([test], input="\\n".join(left).encode()).returncode:
        lines = left
"""


class _Oracle:
    def __call__(self, case: Case, scratch: Scratch) -> Verdict:
        return Verdict.INTERESTING if "needed" in case.ir else Verdict.DULL

    def of_death(self, died: Died) -> Verdict:
        return Verdict.DULL


def _program(folder: Path) -> str:
    path = folder / "shrinkray"
    path.write_text(_PROGRAM.format(python=sys.executable))
    path.chmod(0o755)
    return str(path)


def test_the_smallest_text_that_it_finds_is_taken(tmp_path: Path) -> None:
    """The smallest text that the program offers and that is interesting is the result."""
    case = Case("a\nb\nneeded\nc", "any(cse)")
    trials = Trials(_Oracle())
    shrunk = shrink_text(_program(tmp_path), case, trials)
    assert shrunk == (Case("needed", "any(cse)"), 4, True)
    assert trials.calls == 4


def test_it_is_ended_at_the_limit(tmp_path: Path) -> None:
    """After as many texts as it may offer, the program is ended, and the best text taken."""
    shrunk = shrink_text(_program(tmp_path), Case("a\nb\nneeded"), Trials(_Oracle()), limit=1)
    assert shrunk == (Case("b\nneeded"), 1, False)
