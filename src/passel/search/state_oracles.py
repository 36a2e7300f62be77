"""Oracles about the IR alone: it is not valid, or computes something else than it did.

They answer about IR as a run has left it, whereas `Command` and `SameFailure` answer about cases
that still have to run. Some can also say which symbols it is about.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from passel.diagnostics import brief, listed
from passel.errors import PasselError
from passel.ir import (
    InvalidIR,
    PrintFlags,
    ability_of,
    outwards,
)
from passel.search.abilities import Computes, NotComputedError, NotEndedError
from passel.search.children import SearchError
from passel.search.oracle import Case, Oracle, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from passel.search.children import Died, Scratch
    from passel.search.oracle import Subject


class NotValid(Oracle):
    """The oracle for IR that the verifier refuses, or that does not parse.

    Args:
        subject: Reads IR, and verifies it.
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __call__(self, case: Case, scratch: Scratch) -> Verdict:
        """Read the IR."""
        try:
            self._subject.parse(case.ir)
        except Exception:  # noqa: BLE001 - parsers of others raise what they like
            return Verdict.INTERESTING
        return Verdict.DULL

    def of_death(self, died: Died) -> Verdict:
        """Return that IR which crashes the parser is not valid."""
        return Verdict.INTERESTING

    def symbols(self, text: str) -> Collection[str]:
        """Return the symbol of the op that is not valid, or of the nearest op that encloses it."""
        adapter = self._subject.frontend.adapter
        try:
            self._subject.parse(text)
        except InvalidIR as error:
            names = [adapter.symbol_name(each) for each in outwards(adapter, error.op)]
            return [name for name in names if name is not None][:1]
        except Exception:  # noqa: BLE001 - as above
            return ()
        return ()


_PATIENCE = 5.0
_SHOWN = 3
"""How many functions are named that were not run."""


class ComputesElse(Oracle):
    """The oracle for IR whose functions compute something else than those of the first IR.

    Functions of the first IR that cannot be run are left out. One that has ended there, and
    later takes more than twice as long as it may, computes something else.

    Args:
        subject: Reads IR.
        first: The IR to compare with.
        symbol: The function to run; empty for all that can be.
        arguments: Its arguments, as the IR writes them; empty for some at random.
        timeout: How many seconds a function may take; by default five.

    Attributes:
        left_out: Which functions of the first IR were not run, and why; empty if all were.

    Raises:
        SearchError: None of the IR's functions can be run.
    """

    def __init__(
        self,
        subject: Subject,
        first: str,
        symbol: str = "",
        arguments: str = "",
        *,
        timeout: float | None = None,
    ) -> None:
        self._subject = subject
        self._arguments, self._seconds = arguments, timeout or _PATIENCE
        adapter = subject.frontend.adapter
        computes = ability_of(adapter, Computes)
        if computes is None:
            raise SearchError(
                f"functions of '{adapter.name}' cannot be run here: let a command run them, with "
                "--interesting=<command>"
            )
        self._computes: Computes = computes
        self._expected: dict[str, Sequence[str]] = {}
        self._expected, problems = self._results(first, [symbol] if symbol else None)
        if not self._expected:
            why = _listed(problems) or "it has no functions with bodies"
            raise SearchError(
                f"the IR cannot be run: {why}; --interesting=<command> asks another program"
            )
        self._seconds *= 2  # so that one which just ended in time does not seem to be endless
        count = len(self._expected) + len(problems)
        self.left_out: str = (
            f"{len(problems)} of {count} functions: {_listed(problems)}" if problems else ""
        )

    def _results(
        self, text: str, names: Iterable[str] | None = None
    ) -> tuple[dict[str, Sequence[str]], dict[str, str]]:
        """Return what functions compute, by default all, and why others cannot be run, by name."""
        parsed, context = self._subject.parse(text)
        op = self._subject.frontend.adapter.op_of(parsed.op)
        found: dict[str, Sequence[str]] = {}
        problems: dict[str, str] = {}
        for name in self._computes.functions(op) if names is None else names:
            try:
                found[name] = self._computes.computed(
                    op, context, name, self._arguments, self._seconds
                )
            except NotComputedError as error:
                if isinstance(error, NotEndedError) and name in self._expected:
                    found[name] = [str(error)]  # in contrast to before
                else:
                    problems[name] = str(error)
        return found, problems

    def __call__(self, case: Case, scratch: Scratch) -> Verdict:
        """Run the functions of the IR."""
        try:
            results, problems = self._results(case.ir, self._expected)
        except InvalidIR:
            return Verdict.INVALID
        if any(results[name] != self._expected[name] for name in results):
            return Verdict.INTERESTING
        return Verdict.INVALID if problems else Verdict.DULL

    def why(self, case: Case, scratch: Scratch) -> str:
        """Return which functions were not run, if none that was run differs."""
        results, problems = self._results(case.ir, self._expected)
        if problems:
            others = "; of the other functions, none differs" if results else ""
            return f"there it cannot be run: {_listed(problems)}{others}"
        return "of the functions that could be run, none differs" if self.left_out else ""

    def symbols(self, text: str) -> Collection[str]:
        """Return the functions that compute something else; from now on it is about these alone."""
        results, _ = self._results(text, self._expected)
        found = [name for name in results if results[name] != self._expected[name]]
        self._expected = {name: self._expected[name] for name in found}
        return found


class Miscompiled(Oracle):
    """The oracle for cases whose pipeline changes what functions compute.

    Args:
        subject: Reads and runs cases.
        symbol: The function to run; empty for all that can be.
        arguments: Its arguments, as the IR writes them; empty for some at random.
        timeout: How many seconds a function may take; by default five.
    """

    def __init__(
        self, subject: Subject, symbol: str = "", arguments: str = "", timeout: float | None = None
    ) -> None:
        self._subject = subject
        self._compare = partial(ComputesElse, symbol=symbol, arguments=arguments, timeout=timeout)

    def _run(self, case: Case) -> tuple[ComputesElse, Case]:
        """Run the pipeline; return the oracle for the IR after it, and that IR."""
        oracle = self._compare(self._subject, case.ir)
        parsed, context = self._subject.parse(case.ir)
        manager = self._subject.manager(case.pipeline, context)
        manager.run(parsed.op, jobs=1, on_diagnostic=lambda _: None)
        adapter = self._subject.frontend.adapter
        return oracle, Case(adapter.print_op(adapter.op_of(parsed.op), PrintFlags(generic=True)))

    def __call__(self, case: Case, scratch: Scratch) -> Verdict:
        """Run the functions before and after the pipeline."""
        try:
            oracle, after = self._run(case)
            return oracle(after, scratch)
        except Exception:  # noqa: BLE001 - passes and parsers of others raise what they like
            return Verdict.INVALID

    def why(self, case: Case, scratch: Scratch) -> str:
        """Return why it is not known to be miscompiled."""
        try:
            oracle, after = self._run(case)
        except PasselError as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - as above
            return brief(error)
        why = oracle.why(after, scratch) or "its functions compute the same after the pipeline"
        return why + (f"; not run: {oracle.left_out}" if oracle.left_out else "")


def _listed(problems: Mapping[str, str]) -> str:
    """Return the first of some functions, with the reasons why they cannot be run."""
    return listed([f"@{name} ({why})" for name, why in problems.items()], _SHOWN)
