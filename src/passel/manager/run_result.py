"""The result of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passel.diagnostics import Diagnostic, OptimizationRemark
    from passel.instruments.timing import Timer
    from passel.record import Record


class RunResult(NamedTuple):
    """The result of a successful run.

    Attributes:
        changed: Whether any pass changed the IR; None if unknown because verification was disabled
            or forced, or because MLIR's own passes ran.
        diagnostics: The diagnostics of all passes, in program order.
        statistics: The nonzero counts, by the path of the pass and then by the name of the
            statistic.
        timing: The tree of timers, if an instrumentation such as `Timing` observed the run;
            otherwise None.
        unmatched: The nested pipelines that matched no op, such as
            `builtin.module(gpu.module(cse))`. Pipelines for `any`, and pipelines whose ops were
            erased by earlier passes, are not included. Pipelines that MLIR itself runs, dynamic
            pipelines, and pipelines of passes for another IR are not checked.
        record: The record of the run, if an instrumentation such as `Recorder` observed the run;
            otherwise None.
    """

    changed: bool | None
    diagnostics: tuple[Diagnostic, ...]
    statistics: Mapping[str, Mapping[str, int]]
    timing: Timer | None = None
    unmatched: tuple[str, ...] = ()
    record: Record | None = None

    @property
    def remarks(self) -> tuple[OptimizationRemark, ...]:
        """The optimization remarks among the diagnostics; see `PassManager.enable_remarks`."""
        return tuple(d.remark for d in self.diagnostics if d.remark is not None)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Return the result for display in notebooks."""
        from passel.notebooks import Table, TableRow, Text, bundle, cut  # noqa: PLC0415 - for notebooks alone

        said = {True: "changed", False: "unchanged", None: "unknown whether changed"}
        lines = [*map(str, self.diagnostics), *(f"no op matches {each}" for each in self.unmatched)]
        counts = [
            TableRow(0, f"{path}: {name}", (count,))
            for path, statistics in self.statistics.items()
            for name, count in statistics.items()
        ]
        tables = [Table(("statistic", "count"), counts)] if counts else []
        measured = [each for each in (self.timing, self.record) if each is not None]
        return bundle(Text(cut(said[self.changed], lines)), *tables, *measured)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the result in terminals, where IPython ignores the MIME bundle of a tuple."""
        printer.text(self._repr_mimebundle_()["text/plain"])
