"""`--mlir-print-ir-after-change` prints after exactly those passes that changed something."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from xdsl_inputs import REAL_FILES, xdsl_context

from passel import PassManager
from passel.hooks import PassInstrumentation
from passel.instruments.ir_printer import PrintIR
from passel.ir import PrintFlags
from passel.schedule import PassStep
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from pathlib import Path

    from xdsl.ir import Operation

    from passel.schedule import Step

FILES = sorted(REAL_FILES.glob("*.mlir"))
PIPELINE = (
    "builtin.module(any(canonicalize,cse,loop-invariant-code-motion,sccp,cse,canonicalize),"
    "inline,cse,symbol-dce,canonicalize)"
)
FAITHFUL = PrintFlags(generic=True, debuginfo=True)


class SlowWitness(PassInstrumentation):
    """Prints every op before and after every pass, and says which pass changed the text."""

    def __init__(self) -> None:
        self._before: list[str] = []
        self.verdicts: list[tuple[str, bool]] = []

    def _print(self, op: Operation) -> str:
        for each in op.walk():  # names are no part of the program, and no pass is to keep them
            for value in (
                *each.results,
                *(a for r in each.regions for b in r.blocks for a in b.args),
            ):
                value.name_hint = None
        return XDSLAdapter().print_op(op, FAITHFUL)

    def before_pass(self, step: Step, op: Any) -> None:
        """Print."""
        if isinstance(step, PassStep):
            self._before.append(self._print(op))

    def after_pass(self, step: Step, op: Any) -> None:
        """Print again, and compare."""
        if isinstance(step, PassStep):
            changed = self._print(op) != self._before.pop()
            self.verdicts.append((step.pass_.name, changed))


class Counter(PassInstrumentation):
    """Notes after each pass whether something was printed for it."""

    def __init__(self, stream: StringIO) -> None:
        self._stream = stream
        self._seen = 0
        self.verdicts: list[tuple[str, bool]] = []

    def after_pass(self, step: Step, op: Any) -> None:
        """Look at the stream; called after the printer, which is registered later."""
        if isinstance(step, PassStep):
            end = self._stream.tell()
            self.verdicts.append((step.pass_.name, end > self._seen))
            self._seen = end


@pytest.mark.filterwarnings("ignore:Use .erase")  # a pattern of xDSL's for stencils
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_exactly_what_changed(path: Path) -> None:
    """For each pass on each op, there is a dump if and only if the faithful text differs."""
    context = xdsl_context()
    module = parse_source(context, path.read_text(encoding="utf-8"), path.name)
    stream = StringIO()
    witness, counter = SlowWitness(), Counter(stream)
    manager = PassManager.parse(PIPELINE, context)
    # After-hooks run in reverse: the witness, the printer, the counter.
    with manager.instrument(
        counter, PrintIR(after=True, only_on_change=True, stream=stream), witness
    ):
        manager.run(module)
    assert counter.verdicts == witness.verdicts
    assert stream.getvalue().count("IR Dump After") == sum(c for _, c in witness.verdicts)


def test_enough_files() -> None:
    """There are as many files as the statement deserves."""
    assert len(FILES) >= 20
