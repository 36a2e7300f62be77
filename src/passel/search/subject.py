"""Parsing and running cases (IR with a pipeline), and identifying failures."""

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
    from passel.hooks import ObservedRun
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
    """A test case, which consists of IR and a pipeline to run on the IR.

    Attributes:
        ir: The text of the IR.
        pipeline: The text of the pipeline; empty if the case has no pipeline.
        verify_each: Whether to verify the IR after each pass.
    """

    ir: str
    pipeline: str = ""
    verify_each: bool = True

    def text(self) -> str:
        """Return the IR or, if the case has a pipeline, the text of a reproducer."""
        if not self.pipeline:
            return self.ir.rstrip("\n") + "\n"
        return reproducer_text(self.ir.rstrip("\n"), self.pipeline, verify_each=self.verify_each)


class FailureIdentity(NamedTuple):
    """The properties by which failures of different cases are compared.

    Attributes:
        path: The path of the failed pass, without numbers such as `1:`, which depend on the
            pipeline.
        kind: The type of the exception, the name of the signal, or the kind of the failure.
        message: The first line of the message, without the parts that depend on the IR (see
            `gist`).
    """

    path: str
    kind: str
    message: str

    @classmethod
    def of(cls, failure: Failure) -> FailureIdentity:
        """Return the identity of a failure in a run."""
        cause = failure.cause
        kind = failure.kind if cause is None else type(cause).__name__
        message = failure.diagnostic.message if cause is None else words_of(cause)
        return cls(_INDEX.sub("", failure.path), kind, gist(message))

    @classmethod
    def of_death(cls, died: Died) -> FailureIdentity:
        """Return the identity of a crash in the pass that was running when the process died."""
        return cls(_INDEX.sub("", died.note), died.cause, gist(died.stderr))

    def __str__(self) -> str:
        said = f": {self.message}" if self.message else ""
        kind = "timeout" if self.kind == "SIGALRM" else self.kind
        return f"{kind} in {self.path or 'the parser'}{said}"


def gist(message: str) -> str:
    """Return the first line of a message, without the parts that depend on the IR.

    Example:
        >>> gist("'arith.addi' op operand #12 of '@f' must be i32, but got 'tensor<4xf32>'")
        "'arith.addi' op operand #… of … must be …, but got …"
    """
    line = message.strip().partition("\n")[0][:_LONGEST]
    return _PARTICULAR.sub(lambda m: m[0] if _OP_NAME.fullmatch(m[0]) else "…", line)


class Subject:
    """An object that parses and runs the cases of a search. A run may crash the process.

    Args:
        frontend: The configured frontend for the IR.
        make_manager: A function that takes the text of a pipeline and a context, and creates a pass
            manager.
        verifies: Whether to verify the IR after parsing.
        timeout: The time limit for a run in seconds; None means no limit. SIGALRM kills a process
            that exceeds the limit.

    Attributes:
        frontend: The configured frontend for the IR.
        make_manager: The function that creates pass managers.
    """

    def __init__(
        self,
        frontend: Frontend,
        make_manager: Callable[[str, Any], PassManager],
        *,
        verifies: bool = True,
        timeout: float | None = None,
    ) -> None:
        self.frontend: Frontend = frontend
        self.make_manager: Callable[[str, Any], PassManager] = make_manager
        self._verifies, self._timeout = verifies, timeout

    def parse(self, source: str | SourcePart) -> tuple[Parsed, Any]:
        """Parse a source, and return the parsed contents and the context.

        Raises:
            UnreadableError: If the source does not parse.
            InvalidIR: If the IR does not verify.
        """
        context = self.frontend.new_context()
        part = SourcePart(source, "<case>") if isinstance(source, str) else source
        parsed = self.frontend.read(part, context, lambda _: None)
        if self._verifies and not self.frontend.verifies:
            self.frontend.adapter.verify(parsed.op, recursive=True)
        return parsed, context

    def is_valid(self, case: Case) -> bool:
        """Return whether the IR of a case is valid and the pipeline of the case fits the IR."""
        try:
            _, context = self.parse(case.ir)
            if case.pipeline:
                self.make_manager(case.pipeline, context).check()
        except Exception:  # noqa: BLE001 - other people's parsers raise anything
            return False
        return True

    def load(self, case: Case) -> None:
        """Load the dialects of a case, so that child processes inherit the loaded dialects.

        For an IR with native code, the method does nothing, since native code may start threads,
        and child processes do not inherit threads.
        """
        if not self.frontend.is_native:
            self.is_valid(case)

    def run(
        self, case: Case, scratch: Scratch, *observers: PassInstrumentation
    ) -> tuple[FailureIdentity, ...]:
        """Run the pipeline of a case on its IR, and return the identities of the failures.

        Args:
            case: The case to run.
            scratch: The directory in which the run saves the path of the running pass.
            observers: The additional instrumentations for the run.

        Raises:
            UnreadableError: If the IR does not parse.
            InvalidIR: If the IR is not valid.
            PipelineError: If the pipeline is invalid, or does not fit the IR.
        """
        parsed, context = self.parse(case.ir)
        manager = self.make_manager(case.pipeline, context)
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
            return (FailureIdentity(_INDEX.sub("", scratch.noted), kind, gist(words_of(error))),)
        return ()


class _Notes(PassInstrumentation):
    """An instrumentation that notes the running pass, in case the pass crashes the process."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._has_failed = False

    def before_run(self, run: ObservedRun) -> None:
        """Save a note that the IR has been parsed."""
        self._scratch.note(run.pipeline.anchor)

    def before_pass(self, step: Step, op: Any) -> None:
        """Save the path of the pass as a note, unless an earlier pass has failed."""
        if isinstance(step, PassStep) and not self._has_failed:
            self._scratch.note(step.path)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Stop saving notes, so that the note names the failed pass."""
        self._has_failed = True
