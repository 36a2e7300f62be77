"""The hooks of several instrumentations, called in pairs."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any, Self

from passel.diagnostics import log_exception
from passel.errors import PassFailure
from passel.hooks.instrumentation import LOCK, Ended, PassInstrumentation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from passel.errors import Failure

_SUCCESS = Ended()
_FAILED = Ended(failed=True)

_HOOKS: dict[str, tuple[str, ...]] = {
    what: (f"before_{what}", f"after_{what}")
    for what in ("run", "pipeline", "pass", "verification", "analysis")
}
_HOOKS["pass"] += ("after_pass_failed",)
_HOOKS["failure"] = ("on_failure",)
"""The hooks around each kind of thing, and the one for failures."""


class Instrumentor:
    """The instrumentations of a run, by the hooks that they override.

    Attributes:
        run: The run, once it has started.
        collects_statistics: Whether passes count also what costs time to count.
        finds_changes: Whether passes that have changed their op are to be found.
        sees_steps: Whether anything but runs is observed.
        sees_all: Whether that takes that an IR's own passes do not run as one.
        sees: The instrumentations that observe each kind of thing, such as `pass`.
    """

    def __init__(self, instrumentations: Iterable[PassInstrumentation] = ()) -> None:
        self._all = tuple(instrumentations)
        self._broken: set[int] = set()
        self.run: Any = None
        self.collects_statistics: bool = False
        self.finds_changes: bool = False
        self.sees_all: bool = False
        self.sees: dict[str, tuple[PassInstrumentation, ...]] = dict.fromkeys(_HOOKS, ())
        self._of_steps: list[PassInstrumentation] = []
        for each in self._all:
            self.collects_statistics |= each.collects_statistics
            self.finds_changes |= each.finds_changes
            seen = [what for what, names in _HOOKS.items() if _overrides(each, names)]
            for what in seen:
                self.sees[what] += (each,)
            if not {"run", "failure"}.issuperset(seen):
                self._of_steps.append(each)
                self.sees_all |= not each.collects_statistics
        self.sees_steps: bool = bool(self._of_steps)

    def call(self, each: PassInstrumentation, name: str, *args: Any, **keywords: Any) -> Any:
        """Call a method of an instrumentation, one at a time, and never again after it has raised.

        Raises:
            PassFailure: A hook around passes wants the pass to fail.
            BaseException: An interrupt.
        """
        if id(each) in self._broken:
            return None
        try:
            with _lock_of(each):
                each.run = self.run
                return getattr(each, name)(*args, **keywords)
        except Exception as error:
            if isinstance(error, PassFailure) and name in _HOOKS["pass"]:
                raise
            self._broken.add(id(each))
            what = type(each).__name__
            log_exception(f"instrumentation {what} raised and is disabled for this run")
            return None

    def end(self, each: PassInstrumentation, what: str, args: Sequence[Any], ended: Ended) -> None:
        """Call the hook after something, which has ended."""
        with _lock_of(each):
            each.ended = ended
            if what in {"run", "pipeline"}:
                self.call(each, f"after_{what}", *args, failed=ended.failed)
            elif what == "pass" and ended.failed:
                self.call(each, "after_pass_failed", *args, ended.failure)
            else:
                self.call(each, f"after_{what}", *args)

    def on_failure(self, failure: Failure) -> None:
        """Tell a failure that has been reported."""
        for each in self.sees["failure"]:
            self.call(each, "on_failure", failure)

    def crossing(self) -> Instrumentor:
        """Return the hooks for a run on ops of another IR, inside of a pass."""
        crossing = (each for each in self._all if each.crosses and id(each) not in self._broken)
        return Instrumentor(crossing)

    def bound_here(self) -> list[str]:
        """Return the names of what observes steps and cannot observe any elsewhere."""
        parts = zip(self._of_steps, self._split(), strict=True)
        return [
            type(each).__name__
            for each, part in parts
            if part is None and id(each) not in self._broken
        ]

    def branch(self) -> tuple[Instrumentor, tuple[PassInstrumentation | None, ...]]:
        """Return hooks for another thread or process, with the parts that they call."""
        parts = self._split()
        other = Instrumentor(part for part in parts if part is not None)
        other.run, other.collects_statistics = self.run, self.collects_statistics
        return other, parts

    def merge(self, parts: Sequence[PassInstrumentation | None]) -> None:
        """Give the instrumentations what their parts have observed."""
        for each, part in zip(self._of_steps, parts, strict=True):
            if part is not None:
                self.call(each, "merge", part)

    def forget_run(self) -> None:
        """Let go of the run, which has ended: instrumentations may outlive its ops."""
        self.run = None  # no cycle is left, and the ops go at once
        for each in self._all:
            with _lock_of(each):
                vars(each).pop("run", None)
                vars(each).pop("ended", None)

    def _split(self) -> tuple[PassInstrumentation | None, ...]:
        return tuple(self.call(each, "split") for each in self._of_steps)


class Bracket:
    """Hooks around one event: all that have begun are ended, in reverse.

    Args:
        hooks: The hooks.
        what: The kind of event, such as `pass`.
        args: The arguments for all.

    Attributes:
        ended: How the thing has ended. By an exception it has failed.
        refused: Makes the failure of a pass that a hook after it refuses, for the hooks that
            are still to come.
    """

    __slots__ = ("_args", "_begun", "_hooks", "_what", "ended", "refused")

    def __init__(self, hooks: Instrumentor, what: str, *args: Any) -> None:
        self._hooks = hooks
        self._what = what
        self._args = args
        self._begun: list[PassInstrumentation] = []
        self.ended: Ended = _SUCCESS
        self.refused: Callable[[PassFailure], Failure] | None = None

    def __enter__(self) -> Self:
        for each in self._hooks.sees[self._what]:
            self._begun.append(each)
            try:
                self._hooks.call(each, f"before_{self._what}", *self._args)
            except BaseException as error:
                self.__exit__(type(error))
                raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Call the hooks after it, all of them.

        Raises:
            BaseException: One raised an error that is meant, or was interrupted.
        """
        if kind is not None and not self.ended.failed:
            self.ended = _FAILED
        raised: BaseException | None = None
        while self._begun:
            try:
                self._hooks.end(self._begun.pop(), self._what, self._args, self.ended)
            except BaseException as error:  # noqa: BLE001 - raised when all are ended
                raised = error if raised is None or isinstance(raised, PassFailure) else raised
                if isinstance(error, PassFailure) and self.refused and not self.ended.failed:
                    failure = self.refused(error)
                    self.ended = self.ended._replace(failed=True, failure=failure, changed=False)
        if raised is not None:
            raise raised


def _lock_of(instrumentation: PassInstrumentation) -> RLock:
    """Return the lock under which runs, of which other threads may have some, use it."""
    return vars(instrumentation).setdefault(LOCK, RLock())


def _overrides(instrumentation: PassInstrumentation, hooks: Iterable[str]) -> bool:
    kind = type(instrumentation)
    return any(getattr(kind, hook) is not getattr(PassInstrumentation, hook) for hook in hooks)
