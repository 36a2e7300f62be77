"""Oracles: whether a case, which is IR and a pipeline, is interesting.

A case is read and run by a `Subject`, in a child process, since it may crash the process.
"""

from __future__ import annotations

import re
import signal
import subprocess
from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import words_of
from passel.errors import PasselError, PassFailedError
from passel.frontend import SourcePart
from passel.hooks import PassInstrumentation
from passel.instruments.reproducer_file import reproducer_text
from passel.schedule import PassStep
from passel.search.children import Died, SearchError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from passel.errors import Failure
    from passel.frontend import Frontend, Parsed
    from passel.hooks import Run
    from passel.manager import PassManager
    from passel.record import Execution
    from passel.schedule import Step
    from passel.search.children import Scratch

_LONGEST = 200
_LAST_LINES = 3
_CANNOT_SAY = (125, 126, 127)
"""Exit codes of a command that cannot say whether a case is interesting, as for `git bisect`."""
_SIGNALS = 128
"""Exit code from which on a shell tells that a signal has ended its last command."""
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
        kind = "no end in time" if self.kind == "SIGALRM" else self.kind
        return f"{kind} in {self.path or 'the parser'}{said}"


def head(message: str) -> str:
    """Return the first line of a message, without what changes when the IR gets smaller.

    Example:
        >>> head("'arith.addi' op operand #12 of '@f' must be i32, but got 'tensor<4xf32>'")
        "'arith.addi' op operand #… of … must be …, but got …"
    """
    line = message.strip().partition("\n")[0][:_LONGEST]
    return _PARTICULAR.sub(lambda m: m[0] if _OP_NAME.fullmatch(m[0]) else "…", line)


class Verdict(Enum):
    """Answer of an oracle."""

    INVALID = "unknown"
    """The case is not valid IR, or no pipeline for it, or the oracle cannot say."""
    DULL = "not interesting"
    INTERESTING = "interesting"


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


class Oracle(ABC):
    """Answers whether cases are interesting; called in a child process.

    Attributes:
        pipeline: What runs on the IR that it is asked about; empty if it is about that alone.
        failed: The execution in a record that failed: behind it, there is nothing to find.
    """

    pipeline: str = ""
    failed: Execution | None = None

    def case(self, ir: str) -> Case:
        """Return the case to ask about, given the IR."""
        return Case(ir, self.pipeline)

    @abstractmethod
    def __call__(self, case: Case, scratch: Scratch) -> Verdict:
        """Return the verdict on a case."""

    def of_death(self, died: Died) -> Verdict:
        """Return the verdict on a case that the child died of; by default, it is unknown."""
        return Verdict.INVALID

    def why(self, case: Case, scratch: Scratch) -> str:
        """Return the reason for the verdict on a case, if there is more to say."""
        return ""

    def symbols(self, text: str) -> Collection[str]:
        """Return the symbols of ops in IR that are interesting; none if it cannot tell."""
        return ()


class SameFailure(Oracle):
    """The oracle for cases that fail as another one has.

    Args:
        subject: Reads and runs cases.
        identity: The failure.
        failed: The execution that has failed, if that is known of a record.
        pipeline: What runs.
    """

    def __init__(
        self,
        subject: Subject,
        identity: FailureIdentity,
        failed: Execution | None = None,
        pipeline: str = "",
    ) -> None:
        self._subject = subject
        self.identity = identity
        self.pipeline = pipeline
        self.failed = failed

    def symbols(self, text: str) -> Collection[str]:
        """Return the symbol of the op on which the pass fails."""
        return [self.failed.symbol] if self.failed and self.failed.symbol else []

    def why(self, case: Case, scratch: Scratch) -> str:
        """Name the pass that fails."""
        return f"{self.identity}; passel-reduce makes the input small"

    def __call__(self, case: Case, scratch: Scratch) -> Verdict:
        """Run the case."""
        try:
            found = self._subject.run(case, scratch)
        except Exception:  # noqa: BLE001 - parsers of others raise what they like
            return Verdict.INVALID
        return Verdict.INTERESTING if self.identity in found else Verdict.DULL

    def of_death(self, died: Died) -> Verdict:
        """Compare the crash."""
        if not died.note:
            return Verdict.INVALID
        same = FailureIdentity.of_death(died) == self.identity
        return Verdict.INTERESTING if same else Verdict.DULL


class Command(Oracle):
    """The oracle that is a command: exit code 0 means interesting, as creduce has it.

    Exit code 125 means that it cannot say, as `git bisect run` has it. Nor can it if there is no
    such program (126, 127), if a signal ends it, or if it takes too long.

    Args:
        words: The command. `{}` stands for the file with the case; without it, that is the last
            argument.
        subject: Reads cases, to see whether they are valid; None if they need not be.
        suffix: The end of the file's name.
        timeout: How long it may take, in seconds.
    """

    def __init__(
        self,
        words: list[str],
        subject: Subject | None = None,
        *,
        suffix: str = ".mlir",
        timeout: float | None = None,
    ) -> None:
        self._words = words if any("{}" in each for each in words) else [*words, "{}"]
        self._subject = subject
        self._suffix = suffix
        self._timeout = timeout

    def __call__(self, case: Case, scratch: Scratch) -> Verdict:
        """Run the command, in the current directory."""
        if self._subject is not None and not self._subject.is_valid(case):
            return Verdict.INVALID
        code = self._code(case, scratch)
        if code is None or code in _CANNOT_SAY or not 0 <= code < _SIGNALS:
            return Verdict.INVALID
        return Verdict.DULL if code else Verdict.INTERESTING

    def why(self, case: Case, scratch: Scratch) -> str:
        """Return how the command ends, and its last words."""
        if self._subject is not None and not self._subject.is_valid(case):
            return ""
        code = self._code(case, scratch)
        how = f"takes longer than {self._timeout:g} s" if code is None else f"exits with {code}"
        if code is not None and code < 0:
            how = f"is ended by {Died(code, '', '').cause}"
        said = scratch.words.rstrip().splitlines()[-_LAST_LINES:]
        return "\n  ".join([f"the command {how}" + (", and says:" if said else ""), *said])

    def _code(self, case: Case, scratch: Scratch) -> int | None:
        """Run the command, and return its exit code; None if it takes too long.

        Raises:
            SearchError: The system cannot execute it.
        """
        file = scratch.folder / f"case{self._suffix}"
        file.write_text(case.text(), encoding="utf-8", errors="surrogateescape")
        words = [each.replace("{}", str(file)) for each in self._words]
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL)  # noqa: S603 - the user's
        except OSError as error:
            raise SearchError(
                f"the command cannot be run: {words[0]}: {error.strerror}; a script begins with "
                "the path of its interpreter, such as #!/bin/sh"
            ) from None
        with process:
            try:
                return process.wait(self._timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                return None
