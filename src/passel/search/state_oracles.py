"""Oracles about the IR alone: it is not valid, or computes something else than it did.

They answer about IR as a run has left it, whereas `Command` and `SameFailure` answer about cases
that still have to run. Some can also say which symbols it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.ir import Computes, InvalidIR, NotComputedError, ability_of, outwards
from passel.search.oracle import Verdict
from passel.search.starting import SearchError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from passel.search.children import Died, Scratch
    from passel.search.oracle import Case, Subject


class NotValid:
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


class ComputesElse:
    """The oracle for IR whose functions compute something else than those of the first IR.

    Args:
        subject: Reads IR.
        first: The IR to compare with.
        symbol: The function to run; empty for all that can be.
        arguments: Its arguments, as the IR writes them; empty for some at random.

    Raises:
        SearchError: The IR's functions cannot be run.
    """

    def __init__(self, subject: Subject, first: str, symbol: str = "", arguments: str = "") -> None:
        self._subject = subject
        self._symbol, self._arguments = symbol, arguments
        adapter = subject.frontend.adapter
        computes = ability_of(adapter, Computes)
        if computes is None:
            raise SearchError(f"functions of '{adapter.name}' cannot be run here")
        self._computes: Computes = computes
        self._expected = self._results(first)

    def _results(self, text: str, names: Sequence[str] = ()) -> dict[str, Sequence[str]]:
        """Return what functions compute, by their names.

        Raises:
            SearchError: None of them, or not the one that was asked for, can be run.
        """
        parsed, context = self._subject.parse(text)
        op = self._subject.frontend.adapter.op_of(parsed.op)
        wanted = names or ([self._symbol] if self._symbol else self._computes.functions(op))
        found: dict[str, Sequence[str]] = {}
        problem = "it has no functions with bodies"
        for name in wanted:
            try:
                found[name] = self._computes.computed(op, context, name, self._arguments)
            except NotComputedError as error:
                problem = f"@{name}: {error}"
        if len(found) < (len(wanted) if names or self._symbol else 1):
            raise SearchError(f"the IR cannot be run: {problem}")
        return found

    def __call__(self, case: Case, scratch: Scratch) -> Verdict:
        """Run the functions of the IR."""
        try:
            results = self._results(case.ir, list(self._expected))
        except (InvalidIR, SearchError):
            return Verdict.INVALID
        return Verdict.DULL if results == self._expected else Verdict.INTERESTING

    def symbols(self, text: str) -> Collection[str]:
        """Return the functions that compute something else; from now on it is about these alone."""
        results = self._results(text, list(self._expected))
        found = [name for name in results if results[name] != self._expected[name]]
        self._expected = {name: self._expected[name] for name in found}
        return found

    def of_death(self, died: Died) -> Verdict:
        """Return that it is not known what IR computes that crashes the interpreter."""
        return Verdict.INVALID


class Asked:
    """The oracle that is a function in Python.

    Args:
        function: Given the IR as text, returns whether it is interesting.
    """

    def __init__(self, function: Callable[[str], bool]) -> None:
        self._function = function

    def __call__(self, case: Case, scratch: Scratch) -> Verdict:
        """Call the function."""
        return Verdict.INTERESTING if self._function(case.ir) else Verdict.DULL

    def of_death(self, died: Died) -> Verdict:
        """Return that a function which ends its process has not answered."""
        return Verdict.INVALID
