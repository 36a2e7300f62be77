"""Facts of a record as plain data: runs, and executions of passes in them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from passel.diagnostics import UNKNOWN, Diagnostic, Location, OptimizationRemark, Severity
from passel.errors import PasselError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.errors import Failure

Status: TypeAlias = Literal["changed", "unchanged", "unknown", "failed", "skipped", "running"]

FORMAT = 7
"""The version of the file format; readers refuse all others."""


class RecordError(PasselError, ValueError):
    """A file is not a record, or is in a format that this release does not read.

    A record that ends early, because a process was killed, is not an error: it contains all events
    up to that moment.
    """


class StepInfo(NamedTuple):
    """A pass in a schedule.

    Attributes:
        path: The path of the pass, such as `builtin.module/func.func/1:cse`.
        pass_name: The textual name of the pass.
        title: The pass as text, with the options that differ from their defaults.
    """

    path: str
    pass_name: str
    title: str


class FailureInfo(NamedTuple):
    """A failure as plain data.

    Attributes:
        kind: The kind of failure; see `passel.errors.Failure`.
        message: The error message.
        path: The path of the step that failed.
        where: The op that the step ran on, such as `'func.func' @main`.
        location: The location of the error: the op of the step, or an op inside it.
    """

    kind: str
    message: str
    path: str
    where: str
    location: Location = UNKNOWN

    @classmethod
    def of(cls, failure: Failure) -> FailureInfo:
        """Return a failure as plain data."""
        diagnostic = failure.diagnostic
        return cls(
            failure.kind, diagnostic.message, failure.path, failure.where, diagnostic.location
        )


class Execution(NamedTuple):
    """One execution of a pass on one op.

    Attributes:
        number: The index of the execution in the record, counted from 0 in program order. Passes
            in a dynamic pipeline come before the pass that ran it.
        run: The number of the run in `RecordInfo.runs`.
        path: The path of the pass in the pipeline: `builtin.module/func.func/1:cse`.
        pass_name: The textual name of the pass; empty for several passes that ran as one, and for a
            nested pipeline. A nested pipeline is recorded only if it failed itself.
        title: The pass as text, with its options.
        op_name: The name of the op.
        symbol: The op's symbol name before the pass, if it has one.
        ordinals: The index of the op, and of each enclosing op, among its siblings when the nested
            pipeline started; outermost first. Path and ordinals identify the execution, unless a
            pass runs a pipeline several times on the op.
        location: The op's location.
        status: The result of the execution; `running` only in `Record.running`.
        own_time: The time of the pass in seconds, without the time of passes that it ran.
        total_time: The time of the pass in seconds, including the time of passes that it ran.
        counts: The pass's statistics on this op.
        diagnostics: The diagnostics of the pass, in order.
        failure: The failure of the pass; None if only a pass that it ran has failed.
        before: The digest of the op's text before the pass; None if it is unknown.
        after: The digest of the op's text after the pass; equal to `before` if nothing changed.
        caller: The number of the execution whose pass ran this one; None in the pipeline itself.
        is_amid: Whether the calling pass worked on an enclosing op, and may already have changed
            it. The state of the whole module is then unknown.
    """

    number: int
    run: int
    path: str
    pass_name: str
    title: str
    op_name: str
    symbol: str | None
    ordinals: tuple[int, ...]
    location: Location
    status: Status = "running"
    own_time: float = 0.0
    total_time: float = 0.0
    counts: Mapping[str, int] = MappingProxyType({})
    diagnostics: tuple[Diagnostic, ...] = ()
    failure: FailureInfo | None = None
    before: str | None = None
    after: str | None = None
    caller: int | None = None
    is_amid: bool = False

    @property
    def op_title(self) -> str:
        """The op's name and symbol, such as `func.func @main`."""
        return f"{self.op_name} @{self.symbol}" if self.symbol else self.op_name

    @property
    def op_identity(self) -> object:
        """The identity of the op in the record."""
        return self.run, self.op_name, self.symbol or self.ordinals

    @property
    def identity(self) -> tuple[str, tuple[int, ...]]:
        """The path and the ordinals, the same in every run of a pipeline on one input."""
        return self.path, self.ordinals


class RunInfo(NamedTuple):
    """A run of a pipeline on an op: one for each part of a split input, and for each crossing.

    Attributes:
        number: The index of the run in the record, counted from 0.
        ir: The name of the IR's adapter.
        version: The versions of the IR's packages, by name.
        pipeline: The pipeline as it was written.
        schedule: The pipeline as it ran, with adjacent nested pipelines merged.
        steps: All passes of the schedule, depth first, including those that ran on no op.
        source: The name of the input; empty if it is unknown.
        replay: The command that runs the passes on a file, with `{file}` for its name; empty if
            there is none.
        before: The digest of the text of the pipeline's op before the run.
        after: The digest of the last recorded text of the pipeline's op.
        outer: The number of the run whose pass started this run on another IR; None for other runs.
        is_complete: Whether the run ended, successfully or with failures.
        failures: All failures, in program order.
        notes: Notes on the failures, such as the path of the reproducer and the replay command.
    """

    number: int
    ir: str
    version: Mapping[str, str]
    pipeline: str
    schedule: str
    steps: tuple[StepInfo, ...]
    source: str
    replay: str
    before: str | None
    after: str | None
    outer: int | None
    is_complete: bool
    failures: tuple[FailureInfo, ...]
    notes: tuple[str, ...]


class RecordInfo(NamedTuple):
    """Facts about a record as a whole.

    Attributes:
        format: The version of the file format.
        passel: The version of passel that wrote the record.
        python: The version of Python.
        command_line: The words of the command.
        started: The time of the start, in ISO 8601 with the time zone.
        runs: The runs.
        is_complete: Whether all runs ended: no process was killed, and no disk was full.
    """

    format: int
    passel: str
    python: str
    command_line: tuple[str, ...]
    started: str
    runs: tuple[RunInfo, ...]
    is_complete: bool

    @property
    def top_runs(self) -> list[RunInfo]:
        """The runs that are not part of another run."""
        return [run for run in self.runs if run.outer is None]

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the inputs, each once."""
        return tuple(dict.fromkeys(run.source for run in self.runs if run.source))


def location_of(data: Any) -> Location:
    """Return a location, read from JSON."""
    location = Location(*data)
    return location._replace(caller=location.caller and location_of(location.caller))


def diagnostic_data(diagnostic: Diagnostic) -> Sequence[Any]:
    """Return a diagnostic as data for JSON."""
    severity, notes = diagnostic.severity.value, map(diagnostic_data, diagnostic.notes)
    return [severity, diagnostic.message, diagnostic.location, [*notes], diagnostic.remark]


def diagnostic_of(data: Any) -> Diagnostic:
    """Return a diagnostic, read from JSON."""
    severity, text, place, notes, remark = data
    location = location_of(place)
    if remark is not None:
        remark = OptimizationRemark(*remark)._replace(location=location)
    return Diagnostic(Severity(severity), text, location, map(diagnostic_of, notes), remark=remark)


def failure_of(data: Any) -> FailureInfo:
    """Return a failure, read from JSON."""
    failure = FailureInfo(*data)
    return failure._replace(location=location_of(failure.location))
