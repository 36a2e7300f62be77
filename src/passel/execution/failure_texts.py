"""Failures of steps, with the diagnostics that describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import Diagnostic, Severity, listed, words_of
from passel.errors import Failure, PassFailure
from passel.passes.op_facts import op_diagnostic
from passel.schedule import passes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir import InvalidIR, IRAdapter
    from passel.passes import PassContext
    from passel.schedule import PassStep, Step


class Suspects(NamedTuple):
    """Steps and ops that may have caused a failure.

    Attributes:
        step: The step that ran the passes.
        passes: The passes that may be at fault.
        ops: The ops that these passes ran on.
    """

    step: Step
    passes: Sequence[PassStep]
    ops: Sequence[Any]


NOT_INSIDE = (
    "Trying to schedule a dynamic pipeline on an operation that isn't nested under the current "
    "operation the pass is processing"
)
BESIDE = "was changed by a pass on a sibling op; only a pass on the enclosing op may do that"
INSIDE = "was changed by a pass on a nested op; a pass may only change the op that it runs on"
PLACES = (
    "had nested ops added, erased or moved by a pass on one of them; only a pass on this op may do "
    "that"
)


class Failures(NamedTuple):
    """Factory of failures, with their messages.

    Attributes:
        adapter: The adapter, which names and locates ops.
    """

    adapter: IRAdapter

    def raised(self, step: Step, op: Any, error: BaseException) -> Failure:
        """Return the failure of a step that has raised an exception."""
        if isinstance(error, PassFailure):
            return self._gave_up(step, op, error)
        text = f"{type(error).__name__}: {words_of(error)}".rstrip(": \n")
        message = f"{_named(step)} crashed: {_gist(text)}"
        return self._failure("crashed", step, op, message, cause=error)

    def interrupted(self, step: Step, op: Any, error: BaseException) -> Failure:
        """Return the failure of an interrupted step."""
        message = f"{_named(step)} was interrupted by {type(error).__name__}"
        return self._failure("interrupted", step, op, message, cause=error)

    def invalid(
        self, step: Step, op: Any, error: InvalidIR, deferred: Sequence[Step] = ()
    ) -> Failure:
        """Return the failure of a step after which the IR does not verify.

        Args:
            step: The step.
            op: The op that the step ran on.
            error: The verifier's error.
            deferred: Earlier steps that claim to preserve everything and were not verified.
        """
        cause = error.__cause__
        failure = self._failure("invalid", step, op, error.message, blamed=error.op, cause=cause)
        self._add_notes(failure.diagnostic, error)
        if deferred:
            names = listed([f"'{each.title}'" for each in deferred])
            failure.diagnostic.attach_note(
                f"{names} before it may be the cause: passes that preserve everything are not "
                "verified"
            )
        return failure

    def invalid_enclosing(self, suspects: Suspects, op: Any, error: InvalidIR) -> Failure:
        """Return the failure of an op that is invalid after passes on nested ops."""
        message = f"'{self.adapter.kind_of(error.op).name}' op {error.message}"
        failure = self._of_suspects("invalid", suspects, op, error.op, message, error.__cause__)
        self._add_notes(failure.diagnostic, error)
        return failure

    def of_one_in(self, suspects: Suspects, error: InvalidIR | None) -> Failure:
        """Return the failure of one of several steps that ran as one pass on an op.

        Args:
            suspects: The op, and the step or steps that may have failed.
            error: The verifier's error; None if no invalid IR was found.
        """
        (op,) = suspects.ops
        if error is not None:
            return self.invalid_enclosing(suspects, op, error)
        if len(suspects.passes) == 1:
            return self.raised(suspects.passes[0], op, PassFailure())
        names = listed([f"'{each.title}'" for each in suspects.passes])
        message = f"'{self.adapter.kind_of(op).name}' op one of the passes {names} failed"
        return self._of_suspects("failed", suspects, op, op, message)

    def broken_claim(self, step: Step, op: Any) -> Failure:
        """Return the failure of a pass that claims to preserve everything but changed its op."""
        message = f"pass '{step.title}' states that it preserves everything, but changed the op"
        return self._failure("failed", step, op, message)

    def undeclared(self, step: Step, op: Any, made: Any, dialect: str) -> Failure:
        """Return the failure of a pass that made an op of a dialect that is not loaded."""
        message = (
            f"is of dialect '{dialect}', which neither the input nor any pass has loaded; pass "
            f"'{step.title}' makes such ops, so declare it: dependent_dialects = ('{dialect}',)"
        )
        return self._failure("failed", step, op, message, blamed=made)

    def lost(self, step: Step, op_name: str, enclosing: Any) -> Failure:
        """Return the failure of a pass that erased or moved the op that it ran on."""
        message = (
            f"'{op_name}' op pass '{step.title}' erased or moved the op that it ran on; only a "
            "pass on the enclosing op may do that"
        )
        diagnostic = Diagnostic(Severity.ERROR, message)
        if enclosing is not None:
            diagnostic = op_diagnostic(self.adapter, Severity.ERROR, message, enclosing)
        diagnostic.origin = f"on '{op_name}' [{step.path}]"
        place = diagnostic.location
        return Failure("isolation", step.title, step.path, op_name, None, place, diagnostic)

    def lost_siblings(self, suspects: Suspects, enclosing: Any, op_name: str, rest: str) -> Failure:
        """Return the failure of passes on one op that erased or moved a sibling.

        Args:
            suspects: The passes that may be at fault.
            enclosing: The enclosing op, where the failure is reported.
            op_name: The name of the missing op.
            rest: A clause about the other siblings; may be empty.
        """
        message = (
            f"'{op_name}' op was erased or moved by a pass on a sibling op; only a pass on the "
            f"enclosing op may do that{rest}"
        )
        return self._of_suspects("isolation", suspects, enclosing, enclosing, message)

    def died(self, suspects: Suspects, op: Any, how: str) -> Failure:
        """Return the failure of passes in a worker process that has died.

        Args:
            suspects: The op, and the passes that were to run on it.
            op: The op that the worker processed.
            how: The predicate of a sentence about the process, such as `was killed by SIGSEGV`.
        """
        message = f"'{self.adapter.kind_of(op).name}' op: the process that ran passes on it {how}"
        return self._of_suspects("crashed", suspects, op, op, message)

    def violation(self, suspects: Suspects, op: Any, how: str) -> Failure:
        """Return the failure of passes on one op that changed another one.

        Args:
            suspects: The passes that may be at fault.
            op: The op that was changed.
            how: The predicate of a sentence about the op.
        """
        message = f"'{self.adapter.kind_of(op).name}' op {how}"
        return self._of_suspects("isolation", suspects, op, op, message)

    def unschedulable(self, step: Step | None, op: Any, rejection: str) -> Failure:
        """Return the failure of a step, or a pipeline, that cannot run on the op."""
        return self._failure("unschedulable", step, op, rejection)

    def _gave_up(self, step: Step, op: Any, error: PassFailure) -> Failure:
        if error.kind == "isolation":
            return self._failure("isolation", step, op, error.message, blamed=error.op, cause=error)
        message = f"pass '{step.title}' failed"
        if error.message:
            message += f": {error.message}"
        return self._failure("failed", step, op, message, blamed=error.op, cause=error)

    def _add_notes(self, diagnostic: Diagnostic, error: InvalidIR) -> None:
        for place, note in error.notes:
            diagnostic.attach_note(note, self.adapter.location(place))

    def _of_suspects(
        self,
        kind: str,
        suspects: Suspects,
        op: Any,
        blamed: Any,
        message: str,
        cause: BaseException | None = None,
    ) -> Failure:
        """Return a failure that names every pass that may be at fault."""
        step: Step = suspects.passes[0] if len(suspects.passes) == 1 else suspects.step
        names = listed([f"'{each.title}'" for each in suspects.passes])
        noun = "pass" if len(suspects.passes) == 1 else "passes"
        where = listed([self._where(each) for each in suspects.ops])
        when = "in" if kind in ("crashed", "failed") else "after"
        origin = f"{when} {noun} {names}{f' on {where}' if where else ''} [{step.path}]"
        sole = suspects.ops[0] if len(suspects.ops) == 1 else op
        return self._made(kind, step, sole, message, blamed, origin, cause)

    def _where(self, op: Any) -> str:
        symbol = self.adapter.symbol_name(op)
        return f"'{self.adapter.kind_of(op).name}'" + (f" @{symbol}" if symbol else "")

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
        """Return the failure of a step on an op, with a message about `blamed`."""
        blamed = op if blamed is None else blamed
        message = f"'{self.adapter.kind_of(blamed).name}' op {message}"
        origin = ""
        if step is not None and step.pass_ is not None:
            origin = f"on {self._where(op)} [{step.path}]"
            if f"'{step.title}'" not in message:
                when = "after" if kind in ("invalid", "isolation") else "in"
                origin = f"{when} pass '{step.title}' {origin}"
        return self._made(kind, step, op, message, blamed, origin, cause)

    def _made(
        self,
        kind: str,
        step: Step | None,
        op: Any,
        message: str,
        blamed: Any,
        origin: str,
        cause: BaseException | None,
    ) -> Failure:
        diagnostic = op_diagnostic(self.adapter, Severity.ERROR, message, blamed)
        diagnostic.origin = origin
        return Failure(
            kind=kind,
            pass_text=step.title if step else "",
            path=step.path if step else "",
            op_name=self.adapter.kind_of(op).name,
            symbol=self.adapter.symbol_name(op),
            location=op_diagnostic(self.adapter, Severity.ERROR, message, op).location,
            diagnostic=diagnostic,
            cause=cause,
        )


def suspects_of(step: Step, tasks: Sequence[PassContext[Any]], alive: Sequence[Any]) -> Suspects:
    """Return the passes of nested pipelines that ran on some ops as suspects.

    Args:
        step: The step that ran the pipelines.
        tasks: The contexts of the ops.
        alive: The ops that still exist.
    """
    pipelines = dict.fromkeys(task.plan.pipeline for task in tasks)
    return Suspects(step, [each for one in pipelines for each in passes_of(one)], alive)


def _named(step: Step) -> str:
    """Return a step as the subject of a sentence."""
    return f"pass '{step.title}'" if step.pass_ is not None else "a nested pipeline"


def _gist(text: str) -> str:
    """Return the first line of an exception's text, and the second if the first ends in a colon.

    Some exceptions carry whole modules. Those of MLIR's bindings say why in the second line.
    """
    gist, *lines = (line.strip() for line in text.splitlines())
    return " ".join([gist, *lines[:1]]) if gist.endswith(":") else gist
