"""The hooks of several instrumentations, called in pairs."""

from __future__ import annotations

from contextlib import contextmanager
from sys import maxsize
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from passel.diagnostics import log_exception
from passel.errors import PassFailure
from passel.hooks.instrumentation import LOCK, PassInstrumentation
from passel.hooks.interrupts import HeldInterrupts

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from contextlib import AbstractContextManager

Hook: TypeAlias = "Callable[..., None]"
"""One hook of one instrumentation, or of several. Costs a call per instrumentation."""

_Numbered: TypeAlias = "list[tuple[int, Hook]]"
"""Hooks with the numbers of their instrumentations, in the order of the calls."""

_MAY_FAIL_PASSES = frozenset({"before_pass", "after_pass"})


class Pair(NamedTuple):
    """A hook before something and the one after it, of all instrumentations that have either.

    Attributes:
        before: The hooks before it.
        after: The hooks after it, in reverse.
        after_failure: Those that are called in their place if it has failed.
        interrupts: Holds back what interrupts hooks.
        tells_failure: Whether the hooks after it are given `failed`.
    """

    before: _Numbered
    after: _Numbered
    after_failure: _Numbered
    interrupts: HeldInterrupts
    tells_failure: bool = False


class Bracket:
    """Hooks around one thing: whose hook before it was called, the hook after it is called.

    Args:
        pair: The hooks; None if nothing listens.
        args: What all are given.

    Attributes:
        failed: Whether the thing has failed, for the hooks that are told.
    """

    __slots__ = ("_args", "_called", "_pair", "failed")

    def __init__(self, pair: Pair | None, *args: Any, failed: bool = True) -> None:
        self._pair = pair
        self._args = args
        self._called = maxsize
        self.failed: bool = failed

    def __enter__(self) -> Self:
        try:
            self.open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def open(self) -> None:
        """Call the hooks before it.

        Raises:
            BaseException: One raised an error that is meant, or was interrupted.
        """
        if self._pair is None:
            return
        interrupts = self._pair.interrupts
        was, interrupts.is_allowed = interrupts.is_allowed, False
        try:
            for number, hook in self._pair.before:
                self._called = number
                hook(*self._args)
            if interrupts.is_pending:
                interrupts.raise_pending()
            self._called = maxsize
        finally:
            interrupts.is_allowed = was

    def close(self, *failure: Any) -> None:
        """Call the hooks after it, of all instrumentations whose hook before it was called.

        Args:
            failure: Why it has failed, for hooks that are called only then.

        Raises:
            BaseException: One raised an error that is meant, or was interrupted.
        """
        if self._pair is None:
            return
        hooks = self._pair.after_failure if failure else self._pair.after
        extra = {"failed": self.failed} if self._pair.tells_failure else {}
        limit, interrupts = self._called, self._pair.interrupts
        was, interrupts.is_allowed = interrupts.is_allowed, False
        try:
            _call_all([each for each in hooks if each[0] <= limit], *self._args, *failure, **extra)
            if interrupts.is_pending:
                interrupts.raise_pending()
        finally:
            interrupts.is_allowed = was


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
        self.runs: Pair | None = self._pair("run", tells_failure=True)
        self.pipelines: Pair | None = self._pair("pipeline", tells_failure=True)
        self.passes: Pair | None = self._pair("pass")
        self.verifications: Pair | None = self._pair("verification")
        self.analyses: Pair | None = self._pair("analysis")
        self.scopes: Pair | None = self._pair("scope")
        self.on_failure: Hook | None = self._single(self._hooks("on_failure"))
        self.pass_skipped: Hook | None = self._single(self._hooks("pass_skipped"))
        self.after_change: Hook | None = self._single(self._hooks("after_change")[::-1])
        self.sees_steps: bool = bool(self._observers_of_steps())

    def crossing(self) -> Instrumentor:
        """Return the hooks for a run on ops of another IR, inside of a pass."""
        return Instrumentor(
            [each for each in self._all if each.crosses and id(each) not in self._broken],
            self.interrupts,
        )

    def bound_here(self, *, threads: bool = False) -> list[str]:
        """Return the names of what observes steps and cannot observe any elsewhere.

        Args:
            threads: Whether elsewhere is another thread, rather than another process.
        """
        return [
            type(each).__name__
            for each in self._observers_of_steps()
            if (each.repeats_failures and threads)
            or (not (threads and each.overlaps) and not _can_split(each))
        ]

    @property
    def repeats_failures(self) -> bool:
        """Whether what has failed in another process has to fail here again."""
        return any(each.repeats_failures for each in self._observers_of_steps())

    def branch(self) -> tuple[Instrumentor, tuple[PassInstrumentation | None, ...]]:
        """Return hooks for other threads and processes, with the parts that they call.

        An instrumentation without parts, whose hooks may overlap, is called itself.
        """
        observers = self._observers_of_steps()
        parts = tuple(map(_part_of, observers))
        other = Instrumentor(
            part or own
            for part, own in zip(parts, observers, strict=True)
            if part or not _can_split(own)
        )
        other.run, other.collects_statistics = self.run, self.collects_statistics
        other.one_by_one = self.one_by_one
        return other, parts

    @contextmanager
    def observing(self, parts: Iterable[PassInstrumentation | None]) -> Generator[None]:
        """Tell parts of instrumentations that what they observe begins and ends."""
        own = Instrumentor([part for part in parts if part is not None])
        with Bracket(own.runs, self.run, failed=False):
            yield

    def merge(self, parts: Sequence[PassInstrumentation | None]) -> None:
        """Give the instrumentations what their parts have observed."""
        for each, part in zip(self._observers_of_steps(), parts, strict=True):
            if part is not None:
                each.merge(part)

    def _observers_of_steps(self) -> list[PassInstrumentation]:
        return [each for each in self._all if any(_has(each, name) for name in _HOOKS_OF_STEPS)]

    def _pair(self, what: str, *, tells_failure: bool = False) -> Pair | None:
        before, after = self._hooks(f"before_{what}"), self._hooks(f"after_{what}")[::-1]
        after_failure = self._hooks("after_pass_failed")[::-1] if what == "pass" else []
        if not (before or after or after_failure):
            return None
        return Pair(before, after, after_failure, self.interrupts, tells_failure)

    def _single(self, hooks: _Numbered) -> Hook | None:
        interrupts = self.interrupts
        if not hooks:
            return None

        def call(*args: Any) -> None:
            was, interrupts.is_allowed = interrupts.is_allowed, False
            try:
                _call_all(hooks, *args)
                if interrupts.is_pending:
                    interrupts.raise_pending()
            finally:
                interrupts.is_allowed = was

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


def _call_all(hooks: _Numbered, *args: Any, **extra: Any) -> None:
    """Call all hooks, and raise the first error, or the first interrupt, when all are called."""
    raised: BaseException | None = None
    for _, hook in hooks:
        try:
            hook(*args, **extra)
        except BaseException as error:  # noqa: BLE001 - raised when all are called
            if raised is None or isinstance(raised, PassFailure):
                raised = error
    if raised is not None:
        raise raised


def _can_split(instrumentation: PassInstrumentation) -> bool:
    """Return whether parts can observe a part of a run, as the class with the latest hooks says."""
    for each in type(instrumentation).__mro__:
        if "split" in vars(each):
            return each is not PassInstrumentation and not instrumentation.stays_here
        if any(name in vars(each) for name in _HOOKS_OF_STEPS):
            return False
    return False


def _part_of(instrumentation: PassInstrumentation) -> PassInstrumentation | None:
    return instrumentation.split() if _can_split(instrumentation) else None


def _lock_of(instrumentation: PassInstrumentation) -> AbstractContextManager[object]:
    """Return the lock of an object, the same in all runs that it observes.

    Reentrant: what a hook calls may call another hook.
    """
    return vars(instrumentation).setdefault(LOCK, RLock())
