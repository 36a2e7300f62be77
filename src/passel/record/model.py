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

FORMAT = 6
"""The version of the form of records, raised by each change of it: readers refuse all others."""


class RecordError(PasselError, ValueError):
    """A file is not a record, or not one that this release reads.

    You don't get it for a record that ends early, because a process was killed: it holds what has
    happened until then.
    """


class StepInfo(NamedTuple):
    """A pass at its place in a schedule.

    Attributes:
        path: Its path, such as `builtin.module/func.func/1:cse`.
        pass_name: Its textual name.
        title: The pass as in a pipeline, with the options that differ from their defaults.
    """

    path: str
    pass_name: str
    title: str


class FailureInfo(NamedTuple):
    """A failure as plain data.

    Attributes:
        kind: As in `passel.errors.Failure`.
        message: Why.
        path: The path of the step that has failed.
        where: The op that it ran on, such as `'func.func' @main`.
        location: The place of the error, in that op or at it.
        exception: The type of the exception that caused it; empty if there was none.
    """

    kind: str
    message: str
    path: str
    where: str
    location: Location = UNKNOWN
    exception: str = ""

    @classmethod
    def of(cls, failure: Failure) -> FailureInfo:
        """Return a failure as plain data."""
        cause = failure.cause
        return cls(
            failure.kind,
            failure.diagnostic.message,
            failure.path,
            failure.where,
            failure.diagnostic.location,
            "" if cause is None else type(cause).__qualname__,
        )


class Execution(NamedTuple):
    """One execution of a pass on one op.

    Attributes:
        number: Its index in the record, counted from 0 in program order: what a pass
            runs by itself comes before that pass.
        run: The number of its run in `RecordInfo.runs`.
        path: The path of the pass in the pipeline: `builtin.module/func.func/1:cse`.
        pass_name: The pass's textual name; empty for passes that ran as one, and for steps that
            run nested pipelines, which are here only if they have failed by themselves.
        title: The pass as in a pipeline, with its options.
        op_name: The name of the op.
        symbol: The op's symbol name before the pass, if it has one.
        ordinals: The number of each op from the top one to this one among its siblings, when the
            nested pipelines on these started. With the path it identifies the execution, unless
            a pass runs a pipeline several times on the op.
        location: The op's location.
        status: How it ended; `running` only for those in `Record.running`.
        own_time: Seconds that the pass took without the passes that it ran.
        total_time: Seconds with these.
        counts: The pass's statistics on this op.
        diagnostics: The diagnostics of the pass, in order.
        failure: Why it has failed; None also if only a pass has failed that it ran.
        before: The digest of the op's text before; None if it is not known.
        after: The digest of its text after; equal to `before` if nothing was changed.
        caller: The number of the execution whose pass ran this one; None for the pipeline's own.
        is_amid: Whether that pass worked on an enclosing op, which it may have changed before:
            the state of the whole is not known then.
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
        """The op as people name it, such as `func.func @main`."""
        return f"{self.op_name} @{self.symbol}" if self.symbol else self.op_name

    @property
    def op_identity(self) -> object:
        """The identity of its op in the record."""
        return self.run, self.op_name, self.symbol or self.ordinals

    @property
    def identity(self) -> tuple[str, tuple[int, ...]]:
        """Path and ordinals: the same in each run of the pipeline on the same input."""
        return self.path, self.ordinals


class RunInfo(NamedTuple):
    """A run of a pipeline on an op: one for each part of a split input, and for each crossing.

    Attributes:
        number: Its index in the record, counted from 0.
        ir: The name of the IR's adapter.
        version: The versions of the IR's packages, by name.
        pipeline: The pipeline as it was written.
        schedule: The pipeline as it ran, adjacent nested pipelines merged.
        steps: All passes of that, depth first, also those that no op was there for.
        source: The name of the input; empty if it is not known.
        source_text: The digest of the input's text; None if it is not known.
        replay: The command that runs its passes on a file, written `{file}`; empty if
            there is none.
        op_name: The name of the op that it ran on.
        before: The digest of that op's text before the run.
        after: The digest after all that is recorded of the run.
        outer: The number of the run whose pass crossed into this one; None for the others.
        is_complete: Whether the run has come to its end, by a failure as well.
        failures: All failures, in program order.
        notes: Notes on the failure: where the reproducer is, and how to replay it.
    """

    number: int
    ir: str
    version: Mapping[str, str]
    pipeline: str
    schedule: str
    steps: tuple[StepInfo, ...]
    source: str
    source_text: str | None
    replay: str
    op_name: str
    before: str | None
    after: str | None
    outer: int | None
    is_complete: bool
    failures: tuple[FailureInfo, ...]
    notes: tuple[str, ...]


class RecordInfo(NamedTuple):
    """Facts about a record as a whole.

    Attributes:
        format: The version of its form.
        passel: The release of passel that wrote it.
        python: The release of Python.
        command_line: The words of the command.
        started: When it was begun, in ISO 8601 with the time zone.
        runs: The runs.
        is_complete: Whether it was brought to its end: no process was killed, no disk was full.
    """

    format: int
    passel: str
    python: str
    command_line: tuple[str, ...]
    started: str
    runs: tuple[RunInfo, ...]
    is_complete: bool

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the inputs, each once."""
        return tuple(dict.fromkeys(run.source for run in self.runs if run.source))


def location_of(data: Any) -> Location:
    """Return a location that JSON holds."""
    location = Location(*data)
    return location._replace(caller=location.caller and location_of(location.caller))


def diagnostic_data(diagnostic: Diagnostic) -> Sequence[Any]:
    """Return a diagnostic as JSON holds it."""
    severity, notes = diagnostic.severity.value, map(diagnostic_data, diagnostic.notes)
    return [severity, diagnostic.message, diagnostic.location, [*notes], diagnostic.remark]


def diagnostic_of(data: Any) -> Diagnostic:
    """Return a diagnostic that JSON holds."""
    severity, text, place, notes, remark = data
    location = location_of(place)
    if remark is not None:
        remark = OptimizationRemark(*remark)._replace(location=location)
    return Diagnostic(Severity(severity), text, location, map(diagnostic_of, notes), remark=remark)


def failure_of(data: Any) -> FailureInfo:
    """Return a failure that JSON holds."""
    failure = FailureInfo(*data)
    return failure._replace(location=location_of(failure.location))
