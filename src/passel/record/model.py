"""The data model of records: runs, and executions of passes in runs."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from passel.diagnostics import Diagnostic, Location, OptimizationRemark, Severity
from passel.errors import Failure, PasselError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Status: TypeAlias = Literal["changed", "unchanged", "unknown", "failed", "skipped", "running"]

FORMAT = 10
"""The version of the file format. Readers reject all other versions."""


class RecordError(PasselError, ValueError):
    """The error for a file that is not a record, is damaged, or has an unsupported format.

    If a process is killed, its record is still valid, and contains all events up to that moment.
    """


class StepInfo(NamedTuple):
    """A pass in the schedule of a run.

    Attributes:
        path: The path of the pass, such as `builtin.module/func.func/1:cse`.
        pass_name: The textual name of the pass.
        title: The textual form of the pass, with all options that differ from their defaults.
    """

    path: str
    pass_name: str
    title: str


class Execution(NamedTuple):
    """A single execution of a pass on an op.

    Attributes:
        number: The index of the execution in `Record.executions`, counted from 0.
        run: The index of the run in `RecordInfo.runs`.
        path: The path of the pass in the pipeline, such as `builtin.module/func.func/1:cse`.
        pass_name: The textual name of the pass.
        title: The textual form of the pass, with its options.
        op_name: The name of the op.
        symbol: The symbol name that the op has before the pass runs; None if the op has no symbol
            name.
        ordinals: The ordinals of the enclosing ops, outermost first, followed by the ordinal of the
            op itself. The ordinal of an op is its index among its siblings when the nested pipeline
            starts. The path and the ordinals together identify the execution, unless a pass runs a
            dynamic pipeline several times on the same op.
        location: The location of the op.
        status: The result of the execution. The status is `running` only for executions in
            `Record.running`.
        own_time: The time of the pass in seconds, excluding passes in its dynamic pipelines.
        total_time: The time of the pass in seconds, including passes in its dynamic pipelines.
        counts: A mapping from the name of each statistic to the value that the pass counted on this
            op.
        diagnostics: The diagnostics that the pass emitted, in order.
        failure: The failure of the pass, without its cause; None if the pass succeeded, or if only
            a pass in its dynamic pipeline failed.
        before: The digest of the op's text before the pass; None if the text is unknown.
        after: The digest of the op's text after the pass; equal to `before` if the op is unchanged.
            None if the text is unknown.
        caller: The `number` of the execution whose dynamic pipeline contains this execution; None
            if the pass is not in a dynamic pipeline.
        is_amid: Whether a pass on an enclosing op ran this pass, in a dynamic pipeline on an op
            inside its own op. If true, the text of the top-level op is unknown, since the outer
            pass may already have changed the enclosing op.
        span: The number of texts that the run had recorded when the execution began, and when it
            ended.
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
    failure: Failure | None = None
    before: str | None = None
    after: str | None = None
    caller: int | None = None
    is_amid: bool = False
    span: tuple[int, int] = (0, 0)

    @property
    def op_title(self) -> str:
        """The name and symbol of the op, such as `func.func @main`."""
        return f"{self.op_name} @{self.symbol}" if self.symbol else self.op_name

    @property
    def op_identity(self) -> object:
        """A key for the op. All executions on the same op in the same run have equal keys."""
        return self.run, self.op_name, self.symbol or self.ordinals


class RunInfo(NamedTuple):
    """A run of a pipeline on a top-level op.

    A record contains a run for each part of a split input, and for each nested pipeline on a
    different IR.

    Attributes:
        number: The index of the run in the record, counted from 0.
        ir: The name of the IR, in the form that the flag `--ir` accepts.
        version: A mapping from the name of each package of the IR to the version of the package.
        pipeline: The text of the pipeline, as the user wrote it.
        schedule: The text of the scheduled pipeline, in which adjacent nested pipelines are merged.
        steps: All passes of the schedule in depth-first order, including passes that ran on no op.
        source: The name of the input; empty if the name is unknown.
        replay: The words of the command that runs the passes on a file, before the name of the
            file; empty if no command can run the passes.
        before: The digest of the top-level op's text before the run; None if the text is unknown.
        outer: The `number` of the enclosing run, which is on a different IR; None for a top-level
            run.
        after: The digest of the top-level op's last recorded text; None if the text is unknown.
        is_complete: Whether the run ended, either successfully or with failures.
        failures: All failures, in the order in which a run without workers reports them.
        notes: Notes about the failures, such as the path of the reproducer and the replay command.
    """

    number: int
    ir: str
    version: Mapping[str, str]
    pipeline: str
    schedule: str
    steps: tuple[StepInfo, ...]
    source: str
    replay: Sequence[str]
    before: str | None
    outer: int | None
    after: str | None = None
    is_complete: bool = False
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()


class RecordInfo(NamedTuple):
    """General information about a record.

    Attributes:
        passel: The version of passel that wrote the record.
        python: The version of Python that ran passel.
        command_line: The recorded command and its arguments.
        started: The time at which recording started, in ISO 8601 format with the time zone.
        runs: The recorded runs, in the order of `RunInfo.number`.
        is_complete: Whether all runs ended. A run has no recorded end if the process was killed or
            the disk was full.
    """

    passel: str
    python: str
    command_line: tuple[str, ...]
    started: str
    runs: tuple[RunInfo, ...]
    is_complete: bool

    @property
    def top_runs(self) -> list[RunInfo]:
        """The runs that are not nested inside another run."""
        return [run for run in self.runs if run.outer is None]


def location_of(data: Any) -> Location:
    """Convert a location from its JSON form."""
    location = Location(*data)
    return location._replace(caller=location.caller and location_of(location.caller))


def diagnostic_data(diagnostic: Diagnostic) -> Sequence[Any]:
    """Convert a diagnostic to its JSON form."""
    severity, notes = diagnostic.severity.value, map(diagnostic_data, diagnostic.notes)
    return [severity, diagnostic.message, diagnostic.location, [*notes], diagnostic.remark]


def diagnostic_of(data: Any) -> Diagnostic:
    """Convert a diagnostic from its JSON form."""
    severity, text, place, notes, remark = data
    location = location_of(place)
    if remark is not None:
        remark = OptimizationRemark(*remark)._replace(location=location)
    return Diagnostic(Severity(severity), text, location, map(diagnostic_of, notes), remark=remark)


def failure_data(failure: Failure) -> Sequence[Any]:
    """Convert a failure to its JSON form, without its cause."""
    *facts, diagnostic, _ = failure
    return [*facts, diagnostic_data(diagnostic)]


def failure_of(data: Any) -> Failure:
    """Convert a failure from its JSON form."""
    failure = Failure(*data)
    location, diagnostic = location_of(failure.location), diagnostic_of(failure.diagnostic)
    return failure._replace(location=location, diagnostic=diagnostic)
