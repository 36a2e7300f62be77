"""An interrupt inside of an instrument's own code leaves whole files."""

from __future__ import annotations

import gc
import json
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from interrupts import interrupted

from passel import Pass, PassContext, PassManager
from passel.instruments import (
    ActionLog,
    PrintIR,
    StatisticsReport,
    Timing,
    Trace,
    action_log,
    events,
    ir_diff,
    ir_files,
    ir_printer,
    ir_sinks,
    statistics_report,
    timing,
    timing_rows,
    trace,
    trace_file,
    whole_files,
)
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from passel import PassInstrumentation


class Bump(Pass[ToyOp]):
    """Change an op."""

    name = "bump"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Change it, in a part with a name."""
        with ctx.scope("part"):
            op.value += 1


def manager(instrument: PassInstrumentation) -> PassManager:
    """Return a manager that is observed."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.nest("toy.func").add(Bump())
    pm.add_instrumentation(instrument)
    return pm


MODULE = "toy.module(toy.func @f,toy.func @g)"


def array(text: str) -> list[Any]:
    """Return the events of a trace, whose end may be missing."""
    return json.loads(text if text.endswith("]\n") or not text else f"{text}]") if text else []


def check_trace(instrument: PassInstrumentation) -> None:
    """A trace can be read at any time."""
    array(Path("trace.json").read_text() if Path("trace.json").exists() else "")


def check_tree(instrument: PassInstrumentation) -> None:
    """Each file of a tree has all of a dump."""
    for path in Path("tree").rglob("*"):
        assert path.is_dir() or path.suffix in {".mlir", ".diff"}, path
        assert path.is_dir() or path.read_text().endswith("\n\n"), path


def check_timing(instrument: PassInstrumentation) -> None:
    """Nothing is left running."""
    assert isinstance(instrument, Timing)
    assert all(timer.wall >= 0 for timer in instrument.timing.walk())


def check_nothing(instrument: PassInstrumentation) -> None:
    """There is nothing to see from outside."""


Case = tuple[
    "Callable[[], PassInstrumentation]",
    "Callable[[PassInstrumentation], None]",
    "tuple[ModuleType, ...]",
]
PRINTING = (ir_printer, ir_sinks, ir_diff, ir_files, whole_files, events)
CASES: dict[str, Case] = {
    "trace": (lambda: Trace("trace.json"), check_trace, (trace, trace_file, events)),
    "tree": (lambda: PrintIR(after=True, directory="tree"), check_tree, PRINTING),
    "diffs": (lambda: PrintIR(diff=True, directory="tree"), check_tree, PRINTING),
    "dumps": (lambda: PrintIR(after=True, stream=StringIO()), check_nothing, PRINTING),
    "log": (lambda: ActionLog(StringIO()), check_nothing, (action_log,)),
    "timing": (Timing, check_timing, (timing, timing_rows)),
    "statistics": (
        lambda: StatisticsReport(stream=StringIO()),
        check_nothing,
        (statistics_report,),
    ),
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files left open
@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("case", CASES)
def test_an_interrupt_at_any_line_leaves_whole_files(
    case: str,
    stride: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What was written can be read, and nothing is said but that the run was interrupted."""
    make, check, modules = CASES[case]
    monkeypatch.chdir(tmp_path)
    number, came = 1 - stride, True
    while came:
        number += stride
        Path("trace.json").unlink(missing_ok=True)  # an earlier one may still be written to
        instrument = make()
        pm, module = manager(instrument), parse_toy(MODULE)
        with suppress(KeyboardInterrupt), interrupted(number, modules, "line") as interrupter:
            pm.run(module)
        came = interrupter.came
        check(instrument)
        assert not caplog.records, f"disabled after an interrupt at line {number}"
    gc.collect()  # the files left open, which another test would be warned of
    assert number > 10
