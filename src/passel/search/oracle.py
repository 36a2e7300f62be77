"""Oracles, which decide whether a case is interesting.

Oracles run in child processes (see `Trials`), since a case may crash the process.
"""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from passel.diagnostics import brief, listed, suggest
from passel.errors import PasselError
from passel.ir import PrintFlags
from passel.search.children import Died, SearchError
from passel.search.subject import Case, FailureIdentity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from passel.record import Execution
    from passel.search.children import Scratch
    from passel.search.subject import Subject

_LAST_LINES = 3
_CANNOT_SAY = (125, 126, 127)
"""The exit codes of a command for which the verdict is unknown, as for `git bisect`."""
_SIGNALS = 128
"""The offset of exit codes for signals, as in shells."""
_TIMEOUT = 5.0
_NEAR, _MOST = 60, 200
"""The number of characters shown before a difference, and in all."""
_SHOWN = 3
"""The maximum number of skipped functions in a message."""


class Verdict(Enum):
    """The possible verdicts of an oracle: unknown, not interesting, and interesting."""

    INVALID = "unknown"
    """The IR is invalid, the pipeline does not fit the IR, or the oracle does not know."""
    DULL = "not interesting"
    INTERESTING = "interesting"


class Answer(NamedTuple):
    """The answer of an oracle about a case.

    Attributes:
        verdict: The verdict on the case.
        why: The reason for the verdict; empty if no reason is given.
        symbols: The symbol names of the ops to which a bisection limits its further checks; empty
            for all ops.
    """

    verdict: Verdict
    why: str = ""
    symbols: Collection[str] = ()


class Oracle(ABC):
    """A callable that decides in a child process whether a case is interesting.

    A case is interesting if it shows the problem that the search is about.

    Attributes:
        pipeline: The pipeline to run on the IR of a case. An empty string means that only the IR is
            checked.
        failed: The recorded execution that failed, or None. A bisection searches only the
            executions before the failed execution.
        only: The symbol names of the ops to check. If the collection is empty, all ops are checked.
    """

    pipeline: str = ""
    failed: Execution | None = None
    only: Collection[str] = ()

    @abstractmethod
    def __call__(self, case: Case, scratch: Scratch) -> Answer:
        """Return the answer about a case."""

    def of_death(self, died: Died) -> Answer:
        """Return the answer about a case that crashes the child process.

        By default, the verdict on the case is unknown.
        """
        return Answer(Verdict.INVALID)


class SameFailure(Oracle):
    """An oracle that finds a case interesting if a run of the case has the expected failure.

    Args:
        subject: The subject that parses and runs cases.
        identity: The identity of the expected failure.
        failed: The failed execution in a record; None if there is no record.
        pipeline: The pipeline to run on the IR of a case.
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
        self.failed: Execution | None = failed

    def __call__(self, case: Case, scratch: Scratch) -> Answer:
        """Run the case."""
        try:
            return self._answer(self.identity in self._subject.run(case, scratch))
        except Exception:  # noqa: BLE001 - other people's parsers raise anything
            return Answer(Verdict.INVALID)

    def of_death(self, died: Died) -> Answer:
        """Compare the crash of the child process with the expected failure."""
        if not died.note:
            return Answer(Verdict.INVALID)
        return self._answer(FailureIdentity.of_death(died) == self.identity)

    def _answer(self, is_same: bool) -> Answer:
        verdict = Verdict.INTERESTING if is_same else Verdict.DULL
        return Answer(verdict, f"{self.identity}; to reduce the input, use passel-reduce")


class Command(Oracle):
    """An oracle that runs a command on each case.

    As with creduce, exit code 0 means that the case is interesting. As with `git bisect run`, exit
    code 125 means that the verdict is unknown. The verdict is also unknown if the command cannot be
    run (exit codes 126 and 127), is killed by a signal, or exceeds the time limit.

    Args:
        words: The command and its arguments. `{}` is replaced with the path of the file that
            contains the case. If no word contains `{}`, the path of the file becomes the last
            argument.
        subject: The subject that checks whether a case is valid. None means that cases are not
            checked.
        timeout: The time limit for the command in seconds; None means no limit.
    """

    def __init__(
        self,
        words: list[str],
        subject: Subject | None = None,
        *,
        timeout: float | None = None,
    ) -> None:
        self._words = words if any("{}" in each for each in words) else [*words, "{}"]
        self._subject = subject
        self._timeout = timeout

    def __call__(self, case: Case, scratch: Scratch) -> Answer:
        """Run the command in the current directory, and report the exit code and last output."""
        if self._subject is not None and not self._subject.is_valid(case):
            return Answer(Verdict.INVALID)
        code = self._code(case, scratch)
        how = f"takes longer than {self._timeout:g} s" if code is None else f"exits with {code}"
        if code is not None and code < 0:
            how = f"was killed by {Died(code).cause}"
        said = scratch.stderr.rstrip().splitlines()[-_LAST_LINES:]
        why = "\n  ".join([f"the command {how}" + (", and prints:" if said else ""), *said])
        if code is None or code in _CANNOT_SAY or not 0 <= code < _SIGNALS:
            return Answer(Verdict.INVALID, why)
        return Answer(Verdict.DULL if code else Verdict.INTERESTING, why)

    def _code(self, case: Case, scratch: Scratch) -> int | None:
        """Run the command, and return the exit code, or None if the time limit is exceeded.

        Raises:
            SearchError: If the system cannot execute the command.
        """
        file = scratch.folder / "case.mlir"
        file.write_text(case.text(), encoding="utf-8", errors="surrogateescape")
        words = [each.replace("{}", str(file)) for each in self._words]
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL)  # noqa: S603 - the user's
        except OSError as error:
            raise SearchError(
                f"the command cannot be run: {words[0]}: {error.strerror}; a script must begin "
                "with a line such as #!/bin/sh"
            ) from None
        with process:
            try:
                return process.wait(self._timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                return None


class NotValid(Oracle):
    """An oracle that finds IR interesting if the IR does not parse or verify.

    Args:
        subject: The subject that parses and verifies the IR.
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __call__(self, case: Case, scratch: Scratch) -> Answer:
        """Parse and verify the IR."""
        try:
            self._subject.parse(case.ir)
        except Exception:  # noqa: BLE001 - other people's parsers raise anything
            return Answer(Verdict.INTERESTING)
        return Answer(Verdict.DULL)

    def of_death(self, died: Died) -> Answer:
        """Return the answer that the case is interesting, since the IR crashes the parser."""
        return Answer(Verdict.INTERESTING)


class NotComputedError(Exception):
    """The error for a function that cannot be run.

    The message completes a sentence that starts with the name of the function.
    """


class NotEndedError(NotComputedError):
    """The error for a function that exceeds its time limit."""


@runtime_checkable
class Computes(Protocol):
    """The optional ability of an adapter to run functions in IR and return the results."""

    def functions(self, op: Any) -> Sequence[str]:
        """Return the names of all functions in an op, except declarations without a body."""
        ...

    def computed(
        self, op: Any, context: Any, symbol: str, arguments: str, seconds: float
    ) -> Sequence[str]:
        """Run a function once for each set of arguments, and return a description of each run.

        A description contains the arguments and the results of the run.

        Args:
            op: The op that contains the function.
            context: The context of the op.
            symbol: The name of the function.
            arguments: The arguments of the function in the syntax of the IR; if empty, the
                arguments are random.
            seconds: The time limit in seconds.

        Raises:
            NotComputedError: If the function cannot be run.
            NotEndedError: If the function exceeds the time limit.
        """
        ...


class ComputesElse(Oracle):
    """An oracle that finds IR interesting if functions no longer compute the original results.

    The original results are those of the IR in `first`. If `first` is None, the original results
    for a case are those of its IR before its pipeline runs. Functions that cannot be run in the
    original IR are skipped. If a function in the changed IR takes more than twice the time limit,
    its results count as different.

    Args:
        subject: The subject that parses and runs cases.
        first: The text of the original IR for all cases. None means that each case has its own
            original IR: the IR before its pipeline runs.
        symbol: The name of the function to run. An empty string means all functions that can be
            run.
        arguments: The arguments of the function in the syntax of the IR; if empty, the arguments
            are random.
        timeout: The time limit for a function in seconds; None means five seconds.

    Attributes:
        left_out: A description of the functions in `first` that were not run, with reasons; empty
            if all functions were run.

    Raises:
        SearchError: If no function in `first` can be run.
    """

    def __init__(
        self,
        subject: Subject,
        first: str | None = None,
        symbol: str = "",
        arguments: str = "",
        *,
        timeout: float | None = None,
    ) -> None:
        self._subject = subject
        self._symbol, self._arguments, self._seconds = symbol, arguments, timeout or _TIMEOUT
        adapter = subject.frontend.adapter
        if not isinstance(adapter, Computes):
            raise SearchError(
                f"passel cannot run functions of IR '{adapter.name}'; use --interesting=<command> "
                "with a command that runs them"
            )
        # Child processes inherit the interpreter that these attributes load.
        self._functions, self._computed = adapter.functions, adapter.computed
        self._first = None if first is None else self._expected(first)
        self.left_out: str = "" if self._first is None else self._first[1]

    def _expected(self, text: str) -> tuple[dict[str, Sequence[str]], str]:
        """Return the results of functions, and a list of the functions that were not run."""
        symbols = [self._symbol] if self._symbol else None
        results, problems = self._results(text, symbols, self._seconds)
        if not results:
            why = _listed(problems) or "there are no functions with bodies"
            raise SearchError(f"no function of the IR can run: {why}; try --interesting=<command>")
        left_out = f"{len(problems)} of {len(results) + len(problems)}: {_listed(problems)}"
        return results, left_out if problems else ""

    def _results(
        self, text: str, names: Iterable[str] | None, seconds: float, *, skips_slow: bool = True
    ) -> tuple[dict[str, Sequence[str]], dict[str, str]]:
        """Return the results of functions, and why other functions cannot be run, by name.

        Without `skips_slow`, the result of a function that exceeds the time limit says so.
        """
        parsed, context = self._subject.parse(text)
        op = self._subject.frontend.adapter.op_of(parsed.op)
        found: dict[str, Sequence[str]] = {}
        problems: dict[str, str] = {}
        known = self._functions(op)
        for name in known if names is None else names:
            try:
                found[name] = self._computed(op, context, name, self._arguments, seconds)
            except NotEndedError as error:
                if skips_slow:
                    problems[name] = str(error)
                else:
                    found[name] = [str(error)]
            except NotComputedError as error:
                hint = "" if name in known else suggest(f"@{name}", [f"@{each}" for each in known])
                problems[name] = f"{error}{hint}"
        return found, problems

    def _after(self, case: Case) -> str:
        """Return the IR of a case after a run of the pipeline of the case."""
        if not case.pipeline:
            return case.ir
        parsed, context = self._subject.parse(case.ir)
        manager = self._subject.make_manager(case.pipeline, context)
        manager.run(parsed.op, jobs=1, on_diagnostic=lambda _: None)
        adapter = self._subject.frontend.adapter
        return adapter.print_op(adapter.op_of(parsed.op), PrintFlags(generic=True))

    def __call__(self, case: Case, scratch: Scratch) -> Answer:
        """Run the functions."""
        try:
            expected, left_out = self._first or self._expected(case.ir)
            after, names = self._after(case), self.only or expected
            # Twice the limit, so that a function that barely met the limit does not seem endless.
            results, problems = self._results(after, names, 2 * self._seconds, skips_slow=False)
        except Exception as error:  # noqa: BLE001 - other people's code raises anything
            why = str(error) if isinstance(error, PasselError) else brief(error)
            return Answer(Verdict.INVALID, why)
        if differing := [name for name in results if results[name] != expected[name]]:
            runs = zip(expected[differing[0]], results[differing[0]], strict=False)
            sides = next(each for each in runs if each[0] != each[1])
            at = next((i for i, (a, b) in enumerate(zip(*sides, strict=False)) if a != b), 0)
            old, new = ("..." * (at > _NEAR) + each[max(at - _NEAR, 0) :][:_MOST] for each in sides)
            why = f"@{differing[0]} before: {old}\n@{differing[0]} after:  {new}"
            return Answer(Verdict.INTERESTING, why, differing)
        if problems:
            others = "; no other function differs" if results else ""
            why = f"some functions cannot run: {_listed(problems)}{others}"
            return Answer(Verdict.INVALID, why)
        others = f", but some cannot run: {left_out}" if left_out else ""
        return Answer(Verdict.DULL, f"the functions compute the same results{others}")


def _listed(problems: Mapping[str, str]) -> str:
    """Return the first few functions, with the reasons why they cannot be run."""
    return listed([f"@{name} ({why})" for name, why in problems.items()], _SHOWN)
