"""Creation of the failures of steps, each with a diagnostic that describes the failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import Severity, listed, words_of
from passel.errors import Failure, PassFailure
from passel.passes.remarks import location_near, op_diagnostic
from passel.schedule import PassStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.ir import InvalidIR, IRAdapter
    from passel.passes import PassContext
    from passel.schedule import Step


class Suspects(NamedTuple):
    """The step and the passes that may have caused a failure, and the op that the failure names.

    Attributes:
        step: The step that failed, or the step whose nested pipelines contain the passes; None if
            a dynamic pipeline could not be run.
        op: The op that the passes ran on, or the op that encloses the ops that they ran on.
        passes: The steps that may have caused the failure.
        is_spread: Whether the passes ran on several ops.
    """

    step: Step | None
    op: Any
    passes: Sequence[Step]
    is_spread: bool = False


NOT_INSIDE = (
    "Trying to schedule a dynamic pipeline on an operation that isn't nested under the current "
    "operation the pass is processing"
)
BESIDE = "was changed by a pass on a sibling op; only a pass on the enclosing op may do that"
GONE = "was erased or moved by a pass on a sibling op; only a pass on the enclosing op may do that"
INSIDE = "was changed by a pass on a nested op; a pass may change only the op that it runs on"


class Failures(NamedTuple):
    """A factory for the failures of a run, including their messages.

    Attributes:
        adapter: The adapter of the IR, which provides the names and locations of ops.
    """

    adapter: IRAdapter

    def raised(self, step: Step, op: Any, error: BaseException) -> Failure:
        """Return the failure of a step that raised an exception while it ran on `op`."""
        kind, blamed = "crashed", op
        text = f"{type(error).__name__}: {words_of(error)}".rstrip(": \n")
        message = f"{_event(step, 'crashed')}: {_gist(text)}"
        if isinstance(error, PassFailure):
            kind, blamed, message = error.kind, error.op, error.message
            if kind != "isolation":
                message = f"pass '{step.title}' failed{message and f': {message}'}"
        failure = self.of(kind, sole(step, op), message, blamed=blamed, cause=error)
        if kind == "crashed":
            from passel.tracebacks import raised_at  # noqa: PLC0415 - only needed in this case

            note = failure.diagnostic.attach_note("the pass crashed here", raised_at(error))
            note.is_extra = True
        return failure

    def interrupted(self, step: Step, ctx: PassContext[Any], error: BaseException) -> Failure:
        """Return the failure of a step that was interrupted while it ran on the op of `ctx`."""
        if self.adapter.place_of(ctx.op) != ctx.place:
            return self.lost(step, ctx)
        message = _event(step, f"was interrupted by {type(error).__name__}")
        return self.of("interrupted", sole(step, ctx.op), message, cause=error)

    def invalid(
        self, suspects: Suspects, error: InvalidIR, deferred: Sequence[Step] = ()
    ) -> Failure:
        """Return the failure for an op that is invalid after passes have run.

        Args:
            suspects: The passes that may have made the op invalid, and the op that was verified.
            error: The error that the verifier reported.
            deferred: The steps that ran before the suspects and claimed to preserve everything. The
                op was not verified after these steps.
        """
        failure = self.of(
            "invalid", suspects, error.message, blamed=error.op, cause=error.__cause__
        )
        for place, note in error.notes:
            failure.diagnostic.attach_note(note, place)
        if deferred:
            names = listed([f"'{each.title}'" for each in deferred])
            failure.diagnostic.attach_note(
                "an earlier pass may be the cause, since passes that claim to preserve everything "
                f"are not verified: {names}"
            )
        return failure

    def lost(self, step: Step, ctx: PassContext[Any]) -> Failure:
        """Return the failure of a step that erased or moved the op of `ctx`."""
        outer, place_of = ctx.parent, self.adapter.place_of
        while outer is not None and place_of(outer.op) != outer.place:
            outer = outer.parent
        message = (
            f"pass '{step.title}' erased or moved the op that it ran on; only a pass on the "
            "enclosing op may do that"
        )
        suspects = Suspects(step, outer and outer.op, [step])
        return self.of("isolation", suspects, message, gone=ctx)

    def of(
        self,
        kind: str,
        suspects: Suspects,
        message: str,
        *,
        blamed: Any = None,
        gone: PassContext[Any] | None = None,
        cause: BaseException | None = None,
    ) -> Failure:
        """Return a failure whose diagnostic is about the op to blame.

        Args:
            kind: The kind of failure, such as `crashed`.
            suspects: The passes that may have caused the failure, and the op that it names.
            message: The part of the message that follows the name of the op to blame, such as
                `failed to verify`.
            blamed: The op to blame; by default, the op that the failure names.
            gone: If the op to blame was erased or moved, its `PassContext`; otherwise None. The
                failure names this op. If such ops cannot be accessed, the location is that of the
                op in `suspects`, which should then be the innermost enclosing op that still exists.
            cause: The exception that caused the failure; None if no exception caused it.
        """
        step, op, passes, is_spread = suspects
        op_name = gone.plan.op_name if gone else ""
        has_op = not gone or self.adapter.survives_loss
        op = gone.op if gone and has_op else op
        blamed = op if blamed is None else blamed
        message = f"'{op_name or self.adapter.kind_of(blamed).name}' op {message}"
        diagnostic = op_diagnostic(self.adapter, Severity.ERROR, message, blamed)
        if gone or (isinstance(cause, PassFailure) and not cause.message):
            diagnostic.print_op = None  # the pass has reported the error, with its op
        diagnostic.is_extra = kind == "failed" and not getattr(cause, "message", "")
        step = passes[0] if len(passes) == 1 else step
        failure = Failure(
            kind=kind,
            pass_text=step.title if step else "",
            path=step.path if step else "",
            op_name=op_name or self.adapter.kind_of(op).name,
            symbol=self.adapter.symbol_name(op) if has_op else None,
            location=location_near(self.adapter, op),
            diagnostic=diagnostic,
            cause=cause,
        )
        if passes:
            when = "after" if kind in ("invalid", "isolation") else "in"
            titles = titles_of(passes)
            by = "" if titles.partition(" ")[2] in message else f"{when} {titles} "
            on = "" if is_spread else f"on {failure.where} "
            diagnostic.origin = f"{by}{on}[{failure.path}]"
        return failure


def sole(step: Step | None, op: Any) -> Suspects:
    """Return the `Suspects` for one step and the op that the step ran on."""
    return Suspects(step, op, [step] if isinstance(step, PassStep) else [])


def titles_of(passes: Sequence[Step]) -> str:
    """Return a phrase with the titles of passes, such as `pass 'cse'`."""
    titles = [f"'{each.title}'" for each in passes]
    return f"pass{'es' if len(titles) > 1 else ''} {listed(titles)}"


def suspects_of(step: Step, op: Any, tasks: Iterable[PassContext[Any]]) -> Suspects:
    """Return `Suspects` with all passes of the nested pipelines that a step ran for `tasks`."""
    pipelines = dict.fromkeys(task.plan.pipeline for task in tasks)
    return Suspects(step, op, [each for one in pipelines for each in passes_of(one)], True)


def _event(step: Step, predicate: str) -> str:
    """Return a phrase that describes an event during a step, to follow the name of an op."""
    if step.pass_ is None:
        return f"{predicate} while its nested pipelines ran"
    return f"pass '{step.title}' {predicate}"


def _gist(text: str) -> str:
    """Return the first line of an exception's text, and the second if the first ends in a colon.

    The rest of the text is omitted because it may contain a whole module. In exceptions of MLIR's
    bindings, the second line states the reason.
    """
    gist, *lines = (line.strip() for line in text.splitlines())
    return " ".join([gist, *lines[:1]]) if gist.endswith(":") else gist
