"""Cases, which are IR and a pipeline, and how they are read, run, and fail."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import words_of
from passel.errors import PasselError, PassFailedError
from passel.frontend import SourcePart
from passel.hooks import PassInstrumentation
from passel.instruments.reproducer_file import reproducer_text
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.errors import Failure
    from passel.frontend import Frontend, Parsed
    from passel.hooks import Run
    from passel.manager import PassManager
    from passel.schedule import Step
    from passel.search.children import Died, Scratch

_LONGEST = 200
_INDEX = re.compile(r"\b\d+:")
_OP_NAME = re.compile(r"'[a-z_]\w*(\.[a-z_]\w*)+'")
_PARTICULAR = re.compile(
    r"""'[a-z_]\w*(?:\.[a-z_]\w*)+' | "[^"\n]*" | '[^'\n]*' | <[^\n]*> | [%@^][\w$.#-]+"""
    r""" | \b\d[\w.]* | \b(?:[su]?i|f|bf)\d+\b""",
    re.VERBOSE,
)


class Case(NamedTuple):
    """IR, and what to run on it.

    Attributes:
        ir: The IR as text.
        pipeline: The pipeline as text; empty if there is none.
        verify_each: Whether to verify after passes.
    """

    ir: str
    pipeline: str = ""
    verify_each: bool = True

    def text(self) -> str:
        """Return the case as a file: a reproducer, if it has a pipeline."""
        if not self.pipeline:
            return self.ir.rstrip("\n") + "\n"
        return reproducer_text(self.ir.rstrip("\n"), self.pipeline, verify_each=self.verify_each)


class FailureIdentity(NamedTuple):
    """Facts by which a failure is recognized in another case.

    Attributes:
        path: The path of the pass, without the numbers, which change with the pipeline.
        kind: The type of the exception, the signal, or the kind of the failure.
        message: The first line of the message, without the names of values, symbols and types.
    """

    path: str
    kind: str
    message: str

    @classmethod
    def of(cls, failure: Failure) -> FailureIdentity:
        """Return the identity of a failure of a run."""
        cause = failure.cause
        kind = failure.kind if cause is None else type(cause).__name__
        message = failure.diagnostic.message if cause is None else words_of(cause)
        return cls(_INDEX.sub("", failure.path), kind, head(message))

    @classmethod
    def of_death(cls, died: Died) -> FailureIdentity:
        """Return the identity of a crash of the process, in the pass that it took note of."""
        return cls(_INDEX.sub("", died.note), died.cause, head(died.words))

    def __str__(self) -> str:
        said = f": {self.message}" if self.message else ""
        kind = "timeout" if self.kind == "SIGALRM" else self.kind
        return f"{kind} in {self.path or 'the parser'}{said}"


def head(message: str) -> str:
    """Return the first line of a message, without what changes when the IR gets smaller.

    Example:
        >>> head("'arith.addi' op operand #12 of '@f' must be i32, but got 'tensor<4xf32>'")
        "'arith.addi' op operand #… of … must be …, but got …"
    """
    line = message.strip().partition("\n")[0][:_LONGEST]
    return _PARTICULAR.sub(lambda m: m[0] if _OP_NAME.fullmatch(m[0]) else "…", line)


class Subject:
    """How cases are read and run: in a process that they may crash.

    Args:
        frontend: Reads the IR; it is configured.
        manager: Returns the manager of a pipeline, given its text and the context.
        verifies: Whether the IR has to be valid.
        timeout: How many seconds a case may run before SIGALRM ends the process.

    Attributes:
        frontend: The same.
        manager: The same.
    """

    def __init__(
        self,
        frontend: Frontend,
        manager: Callable[[str, Any], PassManager],
        *,
        verifies: bool = True,
        timeout: float | None = None,
    ) -> None:
        self.frontend: Frontend = frontend
        self.manager: Callable[[str, Any], PassManager] = manager
        self._verifies, self._timeout = verifies, timeout

    def parse(self, source: str | SourcePart) -> tuple[Parsed, Any]:
        """Return what a source holds, and its context.

        Raises:
            UnreadableError: It is not valid IR.
            InvalidIR: It is not valid.
        """
        context = self.frontend.new_context()
        part = SourcePart(source, "<case>") if isinstance(source, str) else source
        parsed = self.frontend.parse(part, context, lambda _: None)
        if self._verifies and not self.frontend.verifies:
            self.frontend.adapter.verify(parsed.op, recursive=True)
        return parsed, context

    def is_valid(self, case: Case) -> bool:
        """Return whether a case is valid: its IR, and its pipeline for that."""
        try:
            _, context = self.parse(case.ir)
            if case.pipeline:
                self.manager(case.pipeline, context).check()
        except Exception:  # noqa: BLE001 - parsers of others raise what they like
            return False
        return True

    def load(self, case: Case) -> None:
        """Load here what the case needs, such as dialects, so that each child has it already.

        Not for native code, which may have started threads, and a child has none of these.
        """
        if not self.frontend.delays_interrupts:
            self.is_valid(case)

    def run(
        self, case: Case, scratch: Scratch, *observers: PassInstrumentation
    ) -> tuple[FailureIdentity, ...]:
        """Run a case, and return its failures.

        Args:
            case: The case.
            scratch: Takes note of the pass that runs.
            observers: Observe the run.

        Raises:
            UnreadableError: The IR does not parse.
            InvalidIR: The IR is not valid.
            PipelineError: The pipeline is wrong, or none for this IR.
        """
        parsed, context = self.parse(case.ir)
        manager = self.manager(case.pipeline, context)
        for each in (_Notes(scratch), *observers):
            manager.add_instrumentation(each)
        if self._timeout:
            signal.setitimer(signal.ITIMER_REAL, self._timeout)
        try:
            manager.run(parsed.op, jobs=1, on_diagnostic=lambda _: None)
        except PassFailedError as error:
            return tuple(map(FailureIdentity.of, error.failures))
        except PasselError:
            raise
        except BaseException as error:  # noqa: BLE001 - a pass may call `sys.exit`
            kind = type(error).__name__
            return (FailureIdentity(_INDEX.sub("", scratch.noted), kind, head(words_of(error))),)
        return ()


class _Notes(PassInstrumentation):
    """Takes note of the pass that runs, in case it crashes the process, up to the first failure."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._has_failed = False

    def before_run(self, run: Run) -> None:
        """Take note that the IR has been read."""
        self._scratch.note(run.pipeline.anchor)

    def before_pass(self, step: Step, op: Any) -> None:
        """Take note of a pass."""
        if isinstance(step, PassStep) and not self._has_failed:
            self._scratch.note(step.path)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Keep the note."""
        self._has_failed = True
