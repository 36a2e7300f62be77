"""The hooks of several instrumentations, called in pairs."""

from __future__ import annotations

from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from passel.diagnostics import log_exception
from passel.errors import PassFailure
from passel.hooks.instrumentation import LOCK, YIELDS_ONCE, Ended, PassInstrumentation
from passel.hooks.interrupts import HeldInterrupts
from passel.hooks.replay import HookLog

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from contextlib import AbstractContextManager

    from passel.hooks.instrumentation import Around

_SUCCESS = Ended()


class _Guarded:
    """A method of an instrumentation, called alone, and no more once one has raised.

    Args:
        instrumentation: The instrumentation.
        name: The name of the method.
        hooks: The hooks that it is one of.
    """

    def __init__(
        self, instrumentation: PassInstrumentation, name: str, hooks: Instrumentor
    ) -> None:
        self._method: Callable[..., Any] = getattr(instrumentation, name)
        self._instrumentation = instrumentation
        self._hooks = hooks
        self._may_fail = name == "around_pass" and not instrumentation.names_only
        self._is_plain = not name.startswith("around_")
        self._op_at = _OPS_AT.get(name, 0) if instrumentation.names_only else 0
        self._alone = _lock_of(instrumentation)

    def begin(self, args: Sequence[Any], begun: list[tuple[_Guarded, Around]]) -> None:
        """Call the method; let a generator go on to its `yield`, and note that it is to be ended.

        Raises:
            BaseException: An interrupt, or a failure that is meant.
        """
        if id(self._instrumentation) not in self._hooks.broken:
            if self._op_at:
                args = list(args)
                args[self._op_at] = self._hooks.run.identity_of(args[self._op_at])
            try:
                with self._alone:
                    self._instrumentation.run = self._hooks.run
                    around: Around = self._method(*args)
                    if self._is_plain:
                        return
                    begun.append((self, around))
                    if (raised := next(around, None)) is not None:
                        raise raised  # noqa: TRY301 - as if the generator had raised it
            except Exception as error:  # noqa: BLE001 - as above
                self._take(error)

    def end(self, around: Around, ended: Ended) -> None:
        """Let the generator go on to its end.

        Raises:
            BaseException: An interrupt, or a failure that is meant.
        """
        if id(self._instrumentation) not in self._hooks.broken:
            try:
                with self._alone:
                    self._instrumentation.run = self._hooks.run
                    around.send(ended)
                    raise RuntimeError(YIELDS_ONCE)  # noqa: TRY301 - its own error
            except StopIteration:
                pass
            except Exception as error:  # noqa: BLE001 - as above
                self._take(error)

    def _take(self, error: Exception) -> None:
        """Raise an error that is meant, or call the instrumentation no more in this run."""
        if self._may_fail and isinstance(error, PassFailure):
            raise error
        _disable(self._instrumentation, self._hooks.broken)


class Hooks(NamedTuple):
    """The hooks of one kind, of all instrumentations that have any.

    Attributes:
        all: The hooks, in the order of registration.
        interrupts: Holds back what interrupts hooks.
    """

    all: Sequence[_Guarded]
    interrupts: HeldInterrupts

    def __call__(self, *args: Any) -> None:
        """Call hooks that are around nothing.

        Raises:
            BaseException: One was interrupted.
        """
        with Bracket(self, *args):
            pass


class Bracket:
    """Hooks around one thing: those that have begun are ended, in reverse.

    Args:
        hooks: The hooks; None if nothing listens.
        args: What all are given.

    Attributes:
        ended: How the thing has ended. By an exception it has failed.
    """

    __slots__ = ("_args", "_begun", "_hooks", "ended")

    def __init__(self, hooks: Hooks | None, *args: Any) -> None:
        self._hooks = hooks
        self._args = args
        self._begun: list[tuple[_Guarded, Around]] = []
        self.ended: Ended = _SUCCESS

    def __enter__(self) -> Self:
        try:
            self.open()
        except BaseException:
            self.ended = Ended(failed=True)
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.ended = Ended(failed=True)
        self.close()

    def open(self) -> None:
        """Begin all hooks.

        Raises:
            BaseException: One raised an error that is meant, or was interrupted.
        """
        if self._hooks is None:
            return
        interrupts = self._hooks.interrupts
        was, interrupts.is_allowed = interrupts.is_allowed, False
        try:
            for hook in self._hooks.all:
                hook.begin(self._args, self._begun)
            if interrupts.is_pending:
                interrupts.raise_pending()
        finally:
            interrupts.is_allowed = was

    def close(self) -> None:
        """End all hooks that have begun.

        Raises:
            BaseException: One raised an error that is meant, or was interrupted.
        """
        if self._hooks is None:
            return
        interrupts = self._hooks.interrupts
        was, interrupts.is_allowed = interrupts.is_allowed, False
        raised: BaseException | None = None
        try:
            while self._begun:
                hook, around = self._begun.pop()
                try:
                    hook.end(around, self.ended)
                except BaseException as error:  # noqa: BLE001 - raised when all are ended
                    raised = _first(raised, error)
            if raised is not None:
                raise raised
            if interrupts.is_pending:
                interrupts.raise_pending()
        finally:
            interrupts.is_allowed = was


class Instrumentor:
    """The hooks of several instrumentations; None where none is overridden.

    Attributes:
        one_by_one: Whether passes have to run one by one.
        collects_statistics: Whether passes count also what costs time to count.
        finds_changes: Whether passes that have changed their op are to be found.
        sees_steps: Whether anything but runs is observed.
        broken: The instrumentations that have raised in this run, by identity.
        interrupts: Holds back what interrupts hooks.
        run: The run, once it has started.
    """

    def __init__(
        self,
        instrumentations: Iterable[PassInstrumentation] = (),
        interrupts: HeldInterrupts | None = None,
        broken: set[int] | None = None,
    ) -> None:
        self._all = tuple(instrumentations)
        self.broken: set[int] = set() if broken is None else broken
        self.interrupts: HeldInterrupts = interrupts or HeldInterrupts()
        self.run: Any = None
        self.one_by_one: bool = any(each.one_by_one for each in self._all)
        self.collects_statistics: bool = any(each.collects_statistics for each in self._all)
        self.finds_changes: bool = any(
            each.finds_changes or _has(each, "after_change") for each in self._all
        )
        self.runs: Hooks | None = self._around("run")
        self.pipelines: Hooks | None = self._around("pipeline")
        self.passes: Hooks | None = self._around("pass")
        self.verifications: Hooks | None = self._around("verification")
        self.analyses: Hooks | None = self._around("analysis")
        self.scopes: Hooks | None = self._around("scope")
        self.on_failure: Hooks | None = self._hooks("on_failure")
        self.on_measured: Hooks | None = self._hooks("on_measured")
        self.sees_steps: bool = bool(self._observers_of_steps())

    def crossing(self) -> Instrumentor:
        """Return the hooks for a run on ops of another IR, inside of a pass."""
        return Instrumentor(
            [each for each in self._all if each.crosses and id(each) not in self.broken],
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
            if each.stays_here
            or (threads and each.repeats_failures)
            or not (_can_follow(each) or (threads and not _has(each, "split")))
        ]

    @property
    def repeats_failures(self) -> bool:
        """Whether what has failed in another process has to fail here again."""
        return any(each.repeats_failures for each in self._observers_of_steps())

    def branch(self) -> tuple[Instrumentor, tuple[PassInstrumentation | None, ...]]:
        """Return hooks for other threads and processes, with the parts that they call.

        An instrumentation without parts, which is for threads alone, is called itself.
        """
        observers = self._observers_of_steps()
        parts = tuple(map(self._part_of, observers))
        other = Instrumentor(
            [
                part or own
                for part, own in zip(parts, observers, strict=True)
                if part or not (_can_follow(own) or id(own) in self.broken)
            ],
            broken=self.broken,
        )
        other.run, other.collects_statistics = self.run, self.collects_statistics
        other.one_by_one = self.one_by_one
        return other, parts

    @contextmanager
    def observing(self, parts: Iterable[PassInstrumentation | None]) -> Generator[None]:
        """Tell parts of instrumentations that what they observe begins and ends."""
        own = Instrumentor([part for part in parts if part is not None])
        own.run = self.run
        with Bracket(own.runs, self.run):
            yield

    def merge(self, parts: Sequence[PassInstrumentation | None]) -> None:
        """Give the instrumentations what their parts have observed."""
        for each, part in zip(self._observers_of_steps(), parts, strict=True):
            if part is not None and id(each) not in self.broken:
                try:
                    with _lock_of(each):
                        each.run = self.run
                        if isinstance(part, HookLog):
                            part.replay(each)
                        else:
                            each.merge(part)
                except Exception:  # noqa: BLE001 - observing never changes how a run goes
                    _disable(each, self.broken)

    def forget_run(self) -> None:
        """Let go of the run, which has ended: instrumentations may outlive its ops."""
        for each in self._all:
            with _lock_of(each):  # hooks of other threads may be at work
                vars(each).pop("run", None)

    def _part_of(self, instrumentation: PassInstrumentation) -> PassInstrumentation | None:
        if not _can_follow(instrumentation) or id(instrumentation) in self.broken:
            return None
        try:
            if not _can_split(instrumentation):
                return HookLog(
                    instrumentation, [w for w in _METHODS if _observes(instrumentation, w)]
                )
            with _lock_of(instrumentation):
                instrumentation.run = self.run
                return instrumentation.split()
        except Exception:  # noqa: BLE001 - as above
            _disable(instrumentation, self.broken)
            return None

    def _observers_of_steps(self) -> list[PassInstrumentation]:
        return [each for each in self._all if any(_has(each, name) for name in _HOOKS_OF_STEPS)]

    def _around(self, what: str) -> Hooks | None:
        return self._hooks(*_METHODS[what])

    def _hooks(self, name: str, *others: str) -> Hooks | None:
        """Return a method of all that override it, or others that it calls."""
        found = [each for each in self._all if any(_has(each, n) for n in (name, *others))]
        return Hooks([_Guarded(e, name, self) for e in found], self.interrupts) if found else None


_METHODS: dict[str, tuple[str, ...]] = {
    what: (f"around_{what}", f"before_{what}", f"after_{what}")
    for what in ("run", "pipeline", "pass", "verification", "analysis", "scope")
}
_METHODS["pass"] += ("after_pass_failed", "pass_skipped", "after_change")
"""The generator around each kind of thing, and the methods that it calls by default."""

_OPS_AT = {"around_pass": 1, "around_pipeline": 1, "around_verification": 1, "around_analysis": 2}
"""Which argument of a hook is an op."""

_HOOKS_OF_STEPS = {name for what in _METHODS if what != "run" for name in _METHODS[what]}


def _has(instrumentation: PassInstrumentation, hook: str) -> bool:
    """Return whether an instrumentation overrides a hook."""
    return getattr(type(instrumentation), hook) is not getattr(PassInstrumentation, hook)


def _observes(instrumentation: PassInstrumentation, what: str) -> bool:
    """Return whether an instrumentation has a hook around a kind of thing."""
    return any(_has(instrumentation, name) for name in _METHODS[what])


def _first(raised: BaseException | None, error: BaseException) -> BaseException:
    """Return which of two errors is raised: the first interrupt, else the first one."""
    return error if raised is None or isinstance(raised, PassFailure) else raised


def _can_split(instrumentation: PassInstrumentation) -> bool:
    """Return whether parts can observe a part of a run, as the class with the latest hooks says."""
    for each in type(instrumentation).__mro__:
        if "split" in vars(each):
            return each is not PassInstrumentation
        if any(name in vars(each) for name in _HOOKS_OF_STEPS):
            return False
    return False


def _can_follow(instrumentation: PassInstrumentation) -> bool:
    """Return whether it can observe what is done elsewhere, by parts or by names."""
    return not instrumentation.stays_here and (
        instrumentation.names_only or _can_split(instrumentation)
    )


def _disable(instrumentation: PassInstrumentation, broken: set[int]) -> None:
    """Call an instrumentation that has just raised no more in this run, and log its error."""
    broken.add(id(instrumentation))
    what = type(instrumentation).__name__
    log_exception(f"instrumentation {what} raised and is disabled for this run")


def _lock_of(instrumentation: PassInstrumentation) -> AbstractContextManager[object]:
    """Return the lock of an object, the same in all runs that it observes.

    Reentrant: what a hook calls may call another hook.
    """
    return vars(instrumentation).setdefault(LOCK, RLock())
