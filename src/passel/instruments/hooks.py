"""Hooks: how one watches a run without taking part in it."""

from __future__ import annotations

from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from passel.diagnostics import log_exception
from passel.errors import PassFailure
from passel.instruments.interrupts import HeldInterrupts

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from types import TracebackType

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.ir import IRAdapter
    from passel.schedule import PassStep, Pipeline, Step


class Run(Protocol):
    """A run, as an instrumentation that observes it sees it.

    Attributes:
        adapter: Answers for the IR.
        ir_context: The IR's own context.
        op: What the pipeline runs on.
        pipeline: The pipeline as it runs, adjacent nested pipelines merged.
        outer: The run whose pass this run is a part of, on ops of another IR; else None.
        verifies: Whether the IR is verified after passes.
        checks: The flags with which passel-opt checks what this run checks besides.
        gates: How many gates decide whether passes are to run.
        counts: Statistics by the pass's path and the statistic's name, once the run is over.
        failures: Every failure, once the run is over.
    """

    adapter: IRAdapter
    ir_context: Any
    op: Any
    pipeline: Pipeline
    outer: Run | None
    verifies: bool
    checks: Sequence[str]
    gates: int

    @property
    def counts(self) -> Mapping[tuple[str, str], int]:
        """Statistics, once the run is over."""
        ...

    @property
    def failures(self) -> Sequence[Failure]:
        """Every failure, once the run is over."""
        ...

    def ordinal_of(self, op: Any, /) -> int:
        """Return which of the ops immediately inside of the one around it an op is.

        Counted from 0 when the nested pipelines on these started, whatever they do; 0 at the
        top. With the path of a step it identifies the execution of a pass.
        """
        ...

    def conclude(self, diagnostic: Diagnostic, /) -> None:
        """Report a diagnostic about the whole run, after all others.

        Its notes become notes of the exception that the run raises.
        """
        ...


class PassInstrumentation:
    """Base class of what observes runs; override the hooks that you need.

    Every `before_*` is followed by exactly one of its `after_*`, also on failure and when an
    interrupt ends the run, in a hook or elsewhere. With several instrumentations, before-hooks
    run in the order of registration and after-hooks in reverse. Hooks that are not overridden
    cost nothing. Hooks of one object never overlap, whatever threads they are called from. An
    instrumentation that raises is reported once in the log `passel` and not called again; the
    run goes on. Only `PassFailure`, raised by `before_pass` or `after_pass`, is meant: the pass
    fails by it.

    Attributes:
        timing: What `RunResult.timing` is to be, of an instrumentation that measures time.
        reproducer: What `PassFailedError.reproducer` is to be, of one that writes a file.
        collects_statistics: Whether passes are to count also what costs time to count.
        overlaps: Whether its hooks may be called while another thread is in one of them, which
            spares a lock.
        crosses: Whether it also observes what passes run on ops of another IR. It has to ask
            the adapter of the innermost run about them, or nothing at all.
        one_by_one: Whether passes that the IR would run as one have to run one by one for it.
            By default hooks see them as the one step that they are, a `FusedStep` with children.
        repeats_failures: Whether passes that have failed in another process fail here again for
            it, after all that comes before them in program order. It needs no part of its own
            there then, and is not for threads.

    Source: `mlir::PassInstrumentation`, MLIR 22, where `runAfterPipeline` is skipped on
    failure, and which has no hooks for runs, verification and change.
    """

    timing: Any = None
    reproducer: Path | None = None
    collects_statistics: bool = False
    overlaps: bool = False
    crosses: bool = False
    one_by_one: bool = False
    repeats_failures: bool = False

    def split(self) -> PassInstrumentation | None:
        """Return what observes a part of a run in another process or thread.

        It is pickled, sees the hooks of that part, is pickled back and given to `merge`,
        parts in program order. None, the default, leaves that part unobserved. It is not called
        for a class that overrides hooks and not this: nothing is known of what these observe.
        """
        return None

    def merge(self, child: PassInstrumentation) -> None:
        """Take over what the result of `split` has observed, as if it had happened now."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave the lock that hooks share behind when it is copied or pickled."""
        return {name: value for name, value in vars(self).items() if name != _LOCK}

    def before_run(self, run: Run) -> None:
        """Called first, before passes are initialized."""

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Called last, also when an interrupt ends the run."""

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Called before a nested pipeline starts on `op`; `parent` is the step that runs it."""

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Called when a nested pipeline ends on `op`."""

    def before_pass(self, step: Step, op: Any) -> None:
        """Called before a pass, or a step that runs nested pipelines, starts on `op`."""

    def after_pass(self, step: Step, op: Any) -> None:
        """Called when it has succeeded, verification included."""

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Called when it has failed.

        Args:
            step: What has failed.
            op: On what.
            failure: Why; None if only a nested pass has failed. An interrupt is the failure of
                all steps that it ends.
        """

    def on_failure(self, failure: Failure) -> None:
        """Called for every failure of the run, in program order, when it is reported."""

    def pass_skipped(self, step: Step, op: Any) -> None:
        """Called between the hooks of a step that a gate keeps from running."""

    def after_change(self, step: PassStep, op: Any) -> None:
        """Called before `after_pass` if the pass has changed the op, found by fingerprint."""

    def before_verification(self, step: Step, op: Any) -> None:
        """Called before the op is verified after a step; not when that is skipped."""

    def after_verification(self, step: Step, op: Any) -> None:
        """Called when it has been verified, whatever the outcome."""

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Called before an analysis is computed; not when it is found in the cache."""

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Called when it has been computed, or has raised."""

    def before_scope(self, name: str) -> None:
        """Called before a part of a pass that the pass has named."""

    def after_scope(self, name: str) -> None:
        """Called after it."""


_LOCK = "_PassInstrumentation__lock"

Hook: TypeAlias = "Callable[..., None]"
"""One hook of several instrumentations as a function. Costs a call per instrumentation."""

_MAY_FAIL_PASSES = frozenset({"before_pass", "after_pass"})


class HookStopped(Exception):  # noqa: N818 - says what is; never leaves passel
    """Raised by a before-hook of which not all instrumentations were called.

    Attributes:
        error: What one of them raised.
        limit: The number of that one. Those behind it have not been called.
    """

    def __init__(self, error: BaseException, limit: int) -> None:
        super().__init__()
        self.error = error
        self.limit = limit


class Bracket:
    """A hook before something and the one after it, around a `with` statement.

    Args:
        before: The hook before it, if there is one.
        after: The hook after it, if there is one.
        args: What both are given.
        extra: What only the hook after it is given.

    Attributes:
        extra: What only the hook after it is given.
    """

    __slots__ = ("_after", "_args", "_before", "extra")

    def __init__(self, before: Hook | None, after: Hook | None, *args: Any, **extra: Any) -> None:
        self._before = before
        self._after = after
        self._args = args
        self.extra: dict[str, Any] = extra

    def __enter__(self) -> Self:
        if self._before is not None:
            try:
                self._before(*self._args)
            except HookStopped as stop:
                if self._after is not None:
                    self._after(*self._args, limit=stop.limit, **self.extra)
                raise stop.error from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._after is not None:
            self._after(*self._args, **self.extra)


class Instrumentor:
    """The hooks of several instrumentations, one function per hook; None where nobody listens.

    Attributes:
        one_by_one: Whether passes have to run one by one.
        collects_statistics: Whether passes count also what costs time to count.
        sees_steps: Whether anything but runs is observed.
        interrupts: Holds back what interrupts hooks.
        run: The run, once it has started.
    """

    def __init__(
        self,
        instrumentations: Iterable[PassInstrumentation] = (),
        interrupts: HeldInterrupts | None = None,
    ) -> None:
        self._all = tuple(instrumentations)
        self._broken: set[int] = set()
        self.interrupts: HeldInterrupts = interrupts or HeldInterrupts()
        self.run: Any = None
        self.one_by_one: bool = any(each.one_by_one for each in self._all)
        self.collects_statistics: bool = any(each.collects_statistics for each in self._all)
        self.before_run: Hook | None = self._before("before_run")
        self.before_pipeline: Hook | None = self._before("before_pipeline")
        self.before_pass: Hook | None = self._before("before_pass")
        self.before_verification: Hook | None = self._before("before_verification")
        self.before_analysis: Hook | None = self._before("before_analysis")
        self.before_scope: Hook | None = self._before("before_scope")
        self.on_failure: Hook | None = self._before("on_failure")
        self.pass_skipped: Hook | None = self._before("pass_skipped")
        self.after_change: Hook | None = self._after("after_change")
        self.after_scope: Hook | None = self._after("after_scope")
        self.after_analysis: Hook | None = self._after("after_analysis")
        self.after_verification: Hook | None = self._after("after_verification")
        self.after_pass: Hook | None = self._after("after_pass")
        self.after_pass_failed: Hook | None = self._after("after_pass_failed")
        self.after_pipeline: Hook | None = self._after("after_pipeline")
        self.after_run: Hook | None = self._after("after_run")
        self.sees_steps: bool = any(getattr(self, name) is not None for name in _HOOKS_OF_STEPS)

    def crossing(self) -> Instrumentor:
        """Return the hooks for a run on ops of another IR, inside of a pass."""
        return Instrumentor(
            [each for each in self._all if each.crosses and id(each) not in self._broken],
            self.interrupts,
        )

    @property
    def can_split(self) -> bool:
        """Whether parts of all that observes steps can observe a part of the run elsewhere."""
        return not self.bound_here()

    @property
    def can_branch(self) -> bool:
        """Whether all that observes steps can observe those of several threads at once."""
        return not self.bound_here(threads=True)

    def bound_here(self, *, threads: bool = False) -> list[str]:
        """Return the names of what observes steps and cannot observe any elsewhere.

        Args:
            threads: Whether elsewhere is another thread, rather than another process.
        """
        return [
            type(each).__name__
            for each in self._observers_of_steps()
            if (each.repeats_failures and threads)
            or (not (threads and each.overlaps) and _part_of(each) is None)
        ]

    @property
    def repeats_failures(self) -> bool:
        """Whether what has failed in another process has to fail here again."""
        return any(each.repeats_failures for each in self._observers_of_steps())

    def branch(self) -> tuple[Instrumentor, tuple[PassInstrumentation | None, ...]]:
        """Return hooks for another thread, with the parts of instrumentations that they call.

        An instrumentation without parts, whose hooks may overlap, is called itself.
        """
        observers = self._observers_of_steps()
        parts = tuple(map(_part_of, observers))
        called = [part or own for part, own in zip(parts, observers, strict=True)]
        other = Instrumentor(called, self.interrupts)
        other.run, other.collects_statistics = self.run, self.collects_statistics
        other.one_by_one = self.one_by_one
        return other, parts

    @contextmanager
    def observing(self, parts: Iterable[PassInstrumentation | None]) -> Generator[None]:
        """Tell parts of instrumentations that what they observe begins and ends."""
        own = Instrumentor([part for part in parts if part is not None], self.interrupts)
        with self.around(own.before_run, own.after_run, self.run, failed=False):
            yield

    @contextmanager
    def split(self) -> Generator[tuple[PassInstrumentation, ...]]:
        """Let parts of the instrumentations observe what happens inside, and yield them."""
        split = map(_part_of, self._observers_of_steps())
        parts = tuple(part for part in split if part is not None)
        own, run = dict(vars(self)), self.run
        Instrumentor.__init__(self, parts, self.interrupts)
        self.collects_statistics = own["collects_statistics"]
        try:
            with self.around(self.before_run, self.after_run, run, failed=False):
                yield parts
        finally:
            vars(self).update(own)

    def merge(self, parts: Sequence[PassInstrumentation | None]) -> None:
        """Give the instrumentations what their parts have observed."""
        for each, part in zip(self._observers_of_steps(), parts, strict=True):
            if part is not None:
                each.merge(part)

    def _observers_of_steps(self) -> list[PassInstrumentation]:
        return [each for each in self._all if any(_has(each, name) for name in _HOOKS_OF_STEPS)]

    def around(self, before: Hook | None, after: Hook | None, *args: Any, **extra: Any) -> Bracket:
        """Return a hook and its counterpart, which is given more, as a context manager."""
        return Bracket(before, after, *args, **extra)

    def _before(self, name: str) -> Hook | None:
        hooks, interrupts = self._hooks(name), self.interrupts
        if not hooks:
            return None

        def call(*args: Any) -> None:
            number = -1
            try:
                for number, hook in hooks:  # noqa: B007 - read below
                    hook(*args)
                if interrupts.is_pending:
                    interrupts.raise_pending()
            except BaseException as error:  # noqa: BLE001 - raised again in there
                raise HookStopped(error, number) from None

        return call

    def _after(self, name: str) -> Hook | None:
        hooks, interrupts = self._hooks(name)[::-1], self.interrupts
        if not hooks:
            return None

        def call(*args: Any, limit: int = len(self._all), **extra: Any) -> None:
            raised: BaseException | None = None
            for number, hook in hooks:
                if number <= limit:
                    try:
                        hook(*args, **extra)
                    except BaseException as error:  # noqa: BLE001 - raised when all are called
                        if raised is None or isinstance(raised, PassFailure):
                            raised = error
            if raised is not None:
                raise raised
            if interrupts.is_pending:
                interrupts.raise_pending()

        return call

    def _hooks(self, name: str) -> list[tuple[int, Hook]]:
        if not self._all:
            return []  # most runs are short, and not watched
        return [
            (number, self._guarded(each, name))
            for number, each in enumerate(self._all)
            if _has(each, name)
        ]

    def _guarded(self, instrumentation: PassInstrumentation, name: str) -> Hook:
        """Return a hook that raises no error but those that are meant."""
        broken, key = self._broken, id(instrumentation)
        hook: Hook = getattr(instrumentation, name)
        meant = PassFailure if name in _MAY_FAIL_PASSES else ()

        def call(*args: Any, **extra: Any) -> None:
            if broken and key in broken:
                return
            try:
                hook(*args, **extra)
            except meant as error:
                error.raised_by = type(instrumentation).__name__
                raise
            except Exception:  # noqa: BLE001 - observing never changes how a run goes
                broken.add(key)
                what = type(instrumentation).__name__
                log_exception(f"instrumentation {what} raised and is disabled for this run")

        if instrumentation.overlaps:
            return call
        lock = _lock_of(instrumentation)

        def call_alone(*args: Any, **extra: Any) -> None:
            with lock:
                call(*args, **extra)

        return call_alone


_HOOKS_OF_STEPS = tuple(
    name
    for name in vars(PassInstrumentation)
    if (name.startswith(("before_", "after_")) or name == "pass_skipped")
    and name not in ("before_run", "after_run")
)


def _has(instrumentation: PassInstrumentation, hook: str) -> bool:
    """Return whether an instrumentation overrides a hook."""
    return getattr(type(instrumentation), hook) is not getattr(PassInstrumentation, hook)


def _part_of(instrumentation: PassInstrumentation) -> PassInstrumentation | None:
    """Return what observes a part of a run elsewhere, as the class with the latest hooks says."""
    for each in type(instrumentation).__mro__:
        if "split" in vars(each):
            return instrumentation.split()
        if any(name in vars(each) for name in _HOOKS_OF_STEPS):
            return None
    return None


def _lock_of(instrumentation: PassInstrumentation) -> AbstractContextManager[object]:
    """Return the lock of an object, the same in all runs that it observes.

    Reentrant: what a hook calls may call another hook.
    """
    return vars(instrumentation).setdefault(_LOCK, RLock())
