"""Turns what went wrong in a step into a `Failure`, with the diagnostic that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import Diagnostic, Severity
from passel.errors import Failure
from passel.ir import InvalidIR
from passel.passes.context import op_diagnostic
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.errors import PassFailure
    from passel.ir import IRAdapter
    from passel.schedule import Pipeline, Step


class Inside(NamedTuple):
    """A failure in a `FusedStep`.

    Attributes:
        step: The step that failed.
        op: The op that it ran on.
        reason: What would have been raised by that step alone.
        said: What was reported before.
    """

    step: Step
    op: Any
    reason: PassFailure | InvalidIR
    said: Sequence[Diagnostic]


class FusedFailure(Exception):  # noqa: N818 - says what is; never leaves passel
    """Raised by the pass of a `FusedStep`.

    Attributes:
        failures: What failed in there, in program order.
        said: What was reported after the last of them.
    """

    def __init__(self, failures: Sequence[Inside], said: Sequence[Diagnostic] = ()) -> None:
        super().__init__()
        self.failures: tuple[Inside, ...] = tuple(failures)
        self.said: tuple[Diagnostic, ...] = tuple(said)


@dataclass(frozen=True, slots=True)
class FailureReporter:
    """Makes failures.

    Attributes:
        adapter: Names and locates ops.
    """

    adapter: IRAdapter

    def gave_up(self, step: Step, op: Any, error: PassFailure) -> Failure:
        """The pass raised `PassFailure`."""
        message = f"pass '{_name(step)}' failed"
        if error.message:
            message += f": {error.message}"
        return self._failure("failed", step, op, message, blamed=error.op, cause=error)

    def crashed(self, step: Step, op: Any, error: Exception) -> Failure:
        """The pass raised something else."""
        text = f"{type(error).__name__}: {error}".rstrip(": \n")
        message = f"pass '{_name(step)}' crashed: {_gist(text)}"
        return self._failure("crashed", step, op, message, cause=error)

    def interrupted(self, step: Step, op: Any, error: BaseException) -> Failure:
        """The process was asked to stop while the pass ran."""
        message = f"pass '{_name(step)}' was interrupted by {type(error).__name__}"
        return self._failure("interrupted", step, op, message, cause=error)

    def invalid(self, step: Step, op: Any, error: InvalidIR) -> Failure:
        """The IR does not verify after the step."""
        cause = error.__cause__
        failure = self._failure("invalid", step, op, error.message, blamed=error.op, cause=cause)
        for place, note in error.notes:
            failure.diagnostic.attach_note(note, self.adapter.location(place))
        return failure

    def inside(self, inner: Inside) -> Failure:
        """A step failed that ran as one with others."""
        if isinstance(inner.reason, InvalidIR):
            return self.invalid(inner.step, inner.op, inner.reason)
        return self.gave_up(inner.step, inner.op, inner.reason)

    def lost(self, step: Step, op_name: str, around: Any) -> Failure:
        """The op is gone, and nothing can be asked of it: the op around stands for it."""
        message = (
            f"'{op_name}' op pass '{_name(step)}' erased the op that it ran on, or took it out of "
            "the op around it, which only a pass on the op around it may do"
        )
        return self._in_place_of(step, op_name, around, message)

    def lost_siblings(self, step: Step, pipeline: Pipeline, around: Any) -> Failure:
        """A nested pipeline on one op erased others that are still to be processed."""
        message = (
            f"'{pipeline.anchor}' op a pass in '{pipeline}' erased ops beside the one that it ran "
            "on, which only a pass on the op around them may do; the ops behind it are not "
            "processed"
        )
        return self._in_place_of(step, pipeline.anchor, around, message)

    def _in_place_of(self, step: Step, op_name: str, around: Any, message: str) -> Failure:
        diagnostic = Diagnostic(Severity.ERROR, message)
        if around is not None:
            diagnostic = op_diagnostic(self.adapter, Severity.ERROR, message, around)
        text, path = _name(step), step.path
        diagnostic.origin = f"after pass '{text}' on '{op_name}' [{path}]"
        location = diagnostic.location
        return Failure("invalid", text, path, op_name, None, location, diagnostic)

    def unschedulable(self, step: Step, op: Any, obstacle: str) -> Failure:
        """The op may not run the step; nothing of it was run."""
        return self._failure("unschedulable", step, op, obstacle)

    def misplaced(self, op: Any, message: str) -> Failure:
        """A pass wanted to run a pipeline on an op that it may not touch."""
        return self._failure("unschedulable", None, op, message)

    def _failure(
        self,
        kind: str,
        step: Step | None,
        op: Any,
        message: str,
        *,
        blamed: Any = None,
        cause: BaseException | None = None,
    ) -> Failure:
        adapter = self.adapter
        blamed = op if blamed is None else blamed
        message = f"'{adapter.kind_of(blamed).name}' op {message}"
        diagnostic = op_diagnostic(adapter, Severity.ERROR, message, blamed)
        failure = Failure(
            kind=kind,
            pass_text=_name(step) if step else "",
            path=step.path if step else "",
            op_name=adapter.kind_of(op).name,
            symbol=adapter.symbol_name(op),
            location=op_diagnostic(adapter, Severity.ERROR, message, op).location,
            diagnostic=diagnostic,
            cause=cause,
        )
        if isinstance(step, PassStep):
            when = "after" if kind == "invalid" else "in"
            diagnostic.origin = (
                f"{when} pass '{failure.pass_text}' on {failure.where} [{failure.path}]"
            )
        return failure


def _gist(text: str) -> str:
    """Return the first line of what an exception says, and what it introduces by a colon.

    Some exceptions carry whole modules. Those of MLIR's bindings say why in the second line.
    """
    gist, *lines = (line.strip() for line in text.splitlines())
    return " ".join([gist, *lines[:1]]) if gist.endswith(":") else gist


def _name(step: Step) -> str:
    return step.pass_.to_text() if isinstance(step, PassStep) else step.path
