"""Bisection, which finds the pass execution or the rewrite that makes IR interesting.

`bisect` runs a pass manager on new copies of the input, each time stopping after a different pass
execution. `Bisection` searches the recorded states of a run without running passes. To find the
rewrite within an execution, `guilty_rewrite` runs the pass again on the same op.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from passel.diagnostics import listed
from passel.errors import PassFailedError
from passel.hooks import PassInstrumentation
from passel.ir import PrintFlags
from passel.schedule import PassStep, passes_of
from passel.search.children import Died, SearchError, in_child
from passel.search.oracle import Answer, Verdict
from passel.search.subject import Case

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from passel.hooks import ObservedRun
    from passel.manager import PassManager
    from passel.record import Execution, Record
    from passel.schedule import Step
    from passel.search.subject import Subject
    from passel.search.trials import Trials


_FAITHFUL = PrintFlags(generic=True, debuginfo=True)
"""The flags for printing IR for the oracle."""


class Found(NamedTuple):
    """The pass execution that `bisect` found.

    Attributes:
        number: The number of the execution, counted from 1. If a pass runs other passes, the
            executions of these passes are not counted.
        path: The path of the pass in the pipeline.
        title: The text of the pass with its options, as in a pipeline.
        op_name: The name of the op that the pass ran on.
        symbol: The symbol name of the op; None if the op has no symbol name.
    """

    number: int
    path: str
    title: str
    op_name: str
    symbol: str | None

    def __str__(self) -> str:
        """Return the pass, the op and the path."""
        symbol = f" @{self.symbol}" if self.symbol else ""
        return f"{self.title} on {self.op_name}{symbol}  [{self.path}]"


def bisect(
    make_input: Callable[[], Any], manager: PassManager, is_bad: Callable[[Any], bool]
) -> Found:
    """Find the pass execution that makes an op bad. The op can be in any IR.

    For N executions, the binary search runs the pipeline about log2(N) + 3 times, each time on a
    new copy of the input. A dynamic pipeline counts as a part of the pass that runs the pipeline.

    Args:
        make_input: A function that returns a new copy of the input.
        manager: The pass manager that contains the pipeline. The search does not change the pass
            manager.
        is_bad: A deterministic function that takes the op after some of the passes have run, and
            returns whether the op is bad.

    Raises:
        SearchError: If the op is bad before any pass has run, if the op is good after all passes
            have run, or if two calls to `make_input` return the same op.
        PassFailedError: If a pass fails.

    Example:
        >>> from passel import PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> def spoil(op, ctx):
        ...     op.value += op.symbol == "g"
        >>> manager = PassManager("toy.module", adapter=ToyAdapter())
        >>> _ = manager.add_nested("toy.func", spoil)
        >>> make_input = lambda: parse_toy("toy.module(toy.func @f,toy.func @g)")
        >>> found = bisect(make_input, manager, lambda op: any(each.value for each in op.body))
        >>> found.number, found.path, found.symbol
        (2, 'toy.module/toy.func/0:spoil', 'g')

    Source: `llvm::OptBisect`, LLVM 22.
    """
    first: list[Any] = []

    def run(limit: int | None) -> tuple[Any, _Limit]:
        op, limited, gate = make_input(), copy(manager), _Limit(limit)
        if first and op is first[0]:
            raise SearchError("make_input returned the same op twice: return a new op each time")
        first[:] = first or [op]
        limited.add_instrumentation(gate)
        limited.add_gate(gate)
        limited.run(op, jobs=1, on_diagnostic=lambda _: None)
        return op, gate

    if is_bad(run(0)[0]):
        raise SearchError("the input is bad before any pass has run, so no pass is the cause")
    op, whole = run(None)
    if not is_bad(op):
        raise SearchError("the op is still good after the last pass: there is nothing to find")

    def verdict(limit: int) -> Verdict:
        return Verdict.INTERESTING if is_bad(run(limit)[0]) else Verdict.DULL

    _, number = _boundary(0, whole.count, verdict)
    found = run(number)[1].last
    assert found is not None  # noqa: S101 - a pass ran, or the input would be bad
    return found


def _boundary(dull: int, interesting: int, verdict: Callable[[int], Verdict]) -> tuple[int, int]:
    """Find where the verdict changes from dull to interesting, by binary search.

    Args:
        dull: A number whose verdict is known to be `DULL`.
        interesting: A larger number whose verdict is known to be `INTERESTING`.
        verdict: A function that returns the verdict on a number between these two.

    Returns:
        The largest dull number and the smallest interesting number that were found. The verdict on
        the numbers between them, if any, is `INVALID`.
    """
    unknown: set[int] = set()
    while candidates := [n for n in range(dull + 1, interesting) if n not in unknown]:
        number = min(candidates, key=lambda n: abs(2 * n - dull - interesting))
        match verdict(number):
            case Verdict.INTERESTING:
                interesting = number
            case Verdict.DULL:
                dull = number
            case Verdict.INVALID:
                unknown.add(number)
    return dull, interesting


class _Limit(PassInstrumentation):
    """A gate that runs only the first executions of the pipeline's own passes.

    Attributes:
        count: The number of executions so far.
        last: The last execution so far, or None.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._paths: frozenset[str] = frozenset()
        self.count: int = 0
        self.last: Found | None = None

    def before_run(self, run: ObservedRun) -> None:
        """Store the paths of the pipeline's own passes."""
        self._adapter = run.adapter
        self._paths = frozenset(step.path for step in passes_of(run.pipeline))

    def __call__(self, step: Step, op: Any) -> bool:
        """Return whether a step may run."""
        if not isinstance(step, PassStep) or step.path not in self._paths:
            return True
        if self._limit is not None and self.count >= self._limit:
            return False
        self.count += 1
        name, symbol = self._adapter.kind_of(op).name, self._adapter.symbol_name(op)
        self.last = Found(self.count, step.path, step.title, name, symbol)
        return True


class Culprit(NamedTuple):
    """The pass execution that made the IR interesting.

    Attributes:
        execution: The recorded execution.
        before: The text of the IR before the execution.
        answer: The answer of the oracle about the IR after the execution.
        others: Earlier executions that may be the cause instead, because the oracle could not check
            the IR after them.
    """

    execution: Execution
    before: str
    answer: Answer
    others: Sequence[Execution]


class Bisection:
    """A binary search over the recorded states of a run.

    Args:
        record: The record that contains the run.
        trials: The `Trials` object that runs the oracle.
        run: The number of the run in the record.
        say: A function to call with a line of text about each tested state.
    """

    def __init__(
        self,
        record: Record,
        trials: Trials,
        *,
        run: int = 0,
        say: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._record = record
        self._trials, self._oracle = trials, trials.oracle
        self._say = say
        self._told: set[int] = set()
        self._start = record.info.runs[run].before
        failed = self._oracle.failed
        self._steps = [
            each
            for each in record.executions
            if each.run == run
            and each.status in ("changed", "failed", "unknown")
            and not each.is_amid
            and (failed is None or each.number < failed.number)
        ]

    def find(self) -> Culprit:
        """Return the first execution after which the IR is interesting.

        Raises:
            SearchError: If the last state is not interesting, if the first state is already
                interesting, or if the record does not contain the IR that the search needs. Two
                different answers about the same state also cause this error.
        """
        self._check_ends()
        steps = self._steps
        low, high = _boundary(-1, len(steps) - 1, lambda n: self._answer(steps[n]).verdict)
        before = self._record.state_before(steps[high])
        if before is None:
            names = [title(each) for each in steps[low + 1 : high + 1]]
            raise SearchError(
                "one of these passes is the cause, but the record lacks the IR between them: "
                f"{listed(names)}"
            )
        return Culprit(steps[high], before, self._answer(steps[high]), steps[low + 1 : high])

    def _check_ends(self) -> None:
        """Test the last and the first state, each of them twice."""
        first = None if self._start is None else self._record.text(self._start)
        last = self._record.state_after(self._steps[-1]) if self._steps else first
        if first is None or last is None:
            raise SearchError(
                "the record must contain both the IR before the run and the IR after the run"
            )
        if not self._steps and self._oracle.failed is None:
            raise SearchError("no pass changed anything in this run")
        ends = "the IR after the last pass", "the IR before any pass has run"
        answer = self._check(last, "the last state", Verdict.INTERESTING, ends[0])
        self._oracle.only = answer.symbols
        self._check(first, "the first state", Verdict.DULL, ends[1])

    def _check(self, text: str, state: str, expected: Verdict, what: str) -> Answer:
        """Test the first or last state, and return the answer of the oracle.

        Raises:
            SearchError: If the verdict differs from the expected verdict.
        """
        verdict, why, _ = answer = self._trials.check(self._case(text))
        self._say(f"BISECT: {state}: {verdict.value}")
        if verdict is expected:
            return answer
        if verdict is Verdict.DULL:
            raise SearchError(f"{what} is not interesting: {why or 'there is nothing to find'}")
        if verdict is Verdict.INTERESTING:
            because = f": {why}" if why else ""
            raise SearchError(f"{what} is already interesting, so no pass is the cause{because}")
        if why or expected is Verdict.INTERESTING:
            raise SearchError(f"{what} cannot be checked: {why or 'the IR is not valid'}")
        return answer

    def _case(self, text: str) -> Case:
        return Case(text, self._oracle.pipeline)

    def _answer(self, step: Execution) -> Answer:
        """Return the answer about the state after an execution."""
        text = self._record.state_after(step)
        answer = Answer(Verdict.INVALID) if text is None else self._trials.answer(self._case(text))
        if step.number not in self._told:
            self._told.add(step.number)
            state = f"state after pass ({step.number}) {title(step)}"
            self._say(f"BISECT: {state}: {answer.verdict.value}")
        return answer


def title(execution: Execution) -> str:
    """Return a title for an execution in LLVM's style, such as `cse on func.func @main`."""
    return f"{execution.title} on {execution.op_title}"


# -- Into one execution ------------------------------------------------------------------------


@runtime_checkable
class LimitsRewrites(Protocol):
    """The optional ability of an adapter to count and limit the rewrites of passes."""

    def limited_rewrites(self, limit: int | None) -> AbstractContextManager[list[str]]:
        """Limit the number of rewrites in a `with` block, and list the rewrites.

        The context manager yields a list, to which a line about each rewrite is appended.

        Args:
            limit: The maximum number of rewrites; None means no limit.
        """
        ...


def guilty_rewrite(
    subject: Subject,
    trials: Trials,
    culprit: Culprit,
) -> tuple[int, Sequence[str]] | None:
    """Find which rewrite in a pass execution makes the IR interesting.

    The pass runs several times in child processes. In each run, the pass runs only on the op of
    `culprit`, and without fast paths. Each run has a different limit on the number of rewrites.

    Args:
        subject: The subject that parses the IR and runs the pass.
        trials: The `Trials` object that runs the oracle.
        culprit: The pass execution to search.

    Returns:
        The number of the rewrite, counted from 1, and a line about each rewrite of the pass. If the
        pass makes no rewrites that can be counted, the number is 0. If running the pass only on the
        op of `culprit` does not make the IR interesting, the result is None.
    """

    def rerun(limit: int | None = None) -> tuple[str, Sequence[str]] | None:
        result = in_child(lambda _: _rerun(subject, culprit, limit))
        return None if isinstance(result, Died) else result

    def verdict(done: tuple[str, Sequence[str]] | None) -> Verdict:
        if done is None:
            return Verdict.DULL
        return trials.answer(Case(done[0], trials.oracle.pipeline)).verdict

    whole = rerun()
    if whole is None or verdict(whole) is not Verdict.INTERESTING:
        return None
    return _boundary(0, len(whole[1]), lambda limit: verdict(rerun(limit)))[1], whole[1]


def _rerun(subject: Subject, culprit: Culprit, limit: int | None) -> tuple[str, Sequence[str]]:
    """Run the pass of an execution again on its op, with a limit on its rewrites.

    Returns:
        The text of the IR after the pass, and a line about each rewrite. If the adapter cannot
        count rewrites, there are no lines.
    """
    parsed, context = subject.parse(culprit.before)
    adapter, execution = subject.frontend.adapter, culprit.execution
    op = root = adapter.op_of(parsed.op)
    for ordinal in execution.ordinals[1:]:
        op = adapter.children(op)[ordinal]
    manager = subject.make_manager(f"{execution.op_name}({execution.title})", context)
    manager.enable_verifier(False)
    counts = isinstance(adapter, LimitsRewrites)
    limited = adapter.limited_rewrites(limit) if counts else nullcontext(list[str]())
    with limited as done, suppress(PassFailedError):
        manager.run(op, jobs=1, on_diagnostic=lambda _: None)
    return adapter.print_op(root, _FAITHFUL), done
