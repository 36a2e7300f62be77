"""Classes that call the hooks of all instrumentations of a run."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from threading import RLock
from typing import TYPE_CHECKING, Any, Self

from passel.diagnostics import logger
from passel.errors import PassFailure
from passel.hooks.instrumentation import LOCK, Ended, PassInstrumentation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from passel.errors import Failure

_SUCCESS, _FAILED = Ended(), Ended(failed=True)

_HOOKS: dict[str, tuple[str, ...]] = {
    what: (f"before_{what}", f"after_{what}")
    for what in ("run", "pipeline", "pass", "verification", "analysis")
}
_HOOKS["pass"] += ("after_pass_failed",)
"""The names of the hooks for each kind of event."""

_OF_STEPS = {hook for what in _HOOKS if what != "run" for hook in _HOOKS[what]}

_COLLECTS = attrgetter("collects_statistics")

_JUDGES = {*_HOOKS["pass"], *_HOOKS["analysis"]}
"""The names of the hooks that can make a pass fail by raising `PassFailure`."""


class Instrumentor:
    """The instrumentations of a run, grouped by the events that they observe.

    Attributes:
        run: The current run.
        collects_statistics: Whether passes collect statistics that are expensive to compute.
        finds_changes: Whether an instrumentation needs to know which passes changed their op.
        finds_violations: Whether an instrumentation needs to know which passes changed IR outside
            their op.
        flags: The passel-opt flags that add the instrumentations to a replay of the run.
        sees_steps: Whether any instrumentation observes pipelines, steps, verification or analyses.
        needs_single_passes: Whether the adapter must run each of the IR's own passes in a separate
            call, because an instrumentation observes more than statistics.
        sees: The instrumentations that observe each kind of event, such as `pass`.
    """

    def __init__(self, instrumentations: Iterable[PassInstrumentation] = ()) -> None:
        # No generators, since starting one is a call in every run.
        self._all = every = tuple(instrumentations)
        self._of_steps = [*filter(partial(_overrides, _OF_STEPS), every)]
        self._broken: set[int] = set()
        self.run: Any = None
        self.collects_statistics: bool = any(map(_COLLECTS, every))
        self.finds_violations: bool = any(map(attrgetter("finds_violations"), every))
        self.finds_changes: bool = any(map(attrgetter("finds_changes"), every))
        self.flags: tuple[str, ...] = tuple(filter(None, map(attrgetter("flag"), every)))
        self.sees_steps: bool = bool(self._of_steps)
        self.needs_single_passes: bool = not all(map(_COLLECTS, self._of_steps))
        self.sees: dict[str, Sequence[PassInstrumentation]] = {
            what: [*filter(partial(_overrides, hooks), every)] for what, hooks in _HOOKS.items()
        }

    def call(self, each: PassInstrumentation, name: str, *args: Any, **keywords: Any) -> Any:
        """Call a hook of an instrumentation, and disable the instrumentation if the hook fails.

        Args:
            each: The instrumentation, whose lock is held during the call.
            name: The name of the hook.
            args: The positional arguments of the hook.
            keywords: The keyword arguments of the hook.

        Raises:
            PassFailure: If the hook raises this exception, and is called around a pass or an
                analysis.
            BaseException: If the hook is interrupted.
        """
        if id(each) in self._broken:
            return None
        try:
            with _lock_of(each):
                each.run = self.run
                return getattr(each, name)(*args, **keywords)
        except Exception as error:
            if isinstance(error, PassFailure) and name in _JUDGES:
                raise
            self._broken.add(id(each))
            what = type(each).__name__
            logger().exception(f"instrumentation {what} failed and is disabled for this run")
            return None

    def end(self, each: PassInstrumentation, what: str, args: Sequence[Any], ended: Ended) -> None:
        """Call the `after_*` hook of an instrumentation at the end of an event."""
        with _lock_of(each):
            each.ended = ended
            if what in {"run", "pipeline"}:
                self.call(each, f"after_{what}", *args, failed=ended.failed)
            elif what == "pass" and ended.failed:
                self.call(each, "after_pass_failed", *args, ended.failure)
            else:
                self.call(each, f"after_{what}", *args)

    def first(self, result: str) -> Any:
        """Return the attribute called `result` from the first instrumentation that has set it.

        If no instrumentation has set the attribute, the method returns None.
        """
        found = map(attrgetter(result), self._all)
        return next((each for each in found if each is not None), None)

    def crossing(self) -> Instrumentor:
        """Return the instrumentor for a run that a pass starts on another IR."""
        return Instrumentor(e for e in self._all if e.crosses and id(e) not in self._broken)

    def bound_here(self) -> list[str]:
        """Return the class names of the instrumentations that cannot observe steps in workers."""
        bound = [each for each in self._of_steps if self.call(each, "split") is None]
        return [type(each).__name__ for each in bound if id(each) not in self._broken]

    def branch(self) -> tuple[Instrumentor, tuple[PassInstrumentation | None, ...]]:
        """Split the instrumentations for a worker.

        Returns:
            The instrumentor of the worker, and the result of `split` for each instrumentation that
            observes steps.
        """
        parts = tuple(self.call(each, "split") for each in self._of_steps)
        other = Instrumentor(part for part in parts if part is not None)
        other.run, other.collects_statistics = self.run, self.collects_statistics
        return other, parts

    def merge(self, parts: Sequence[PassInstrumentation | None]) -> None:
        """Add the observations of the instrumentations that `branch` returned for a worker."""
        for each, part in zip(self._of_steps, parts, strict=True):
            if part is not None:
                self.call(each, "merge", part)

    def forget_run(self) -> None:
        """Drop all references to the run, because instrumentations may outlive the run's ops."""
        self.run = None  # without this reference cycle, the ops are freed at once
        for each in self._all:
            with _lock_of(each):
                vars(each).pop("run", None)
                vars(each).pop("ended", None)


class Bracket:
    """A context manager that calls the `before_*` and `after_*` hooks around an event.

    Args:
        hooks: The `Instrumentor`, which calls the hooks of all instrumentations.
        what: The kind of event, such as `pass`.
        args: The arguments of the hooks.

    Attributes:
        ended: The result of the event, which the `after_*` hooks can read. If an exception leaves
            the `with` block, the result is a failure.
        refused: A function that converts a `PassFailure` from an `after_*` hook to a `Failure`. The
            remaining hooks receive this failure in `ended`. If `refused` is None, `ended` does not
            change.
    """

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
        """Call the `after_*` hooks of the event in reverse order.

        Raises:
            BaseException: If a hook has raised `PassFailure` or was interrupted.
        """
        if kind is not None and not self.ended.failed:
            self.ended = _FAILED
        raised: BaseException | None = None
        while self._begun:
            try:
                self._hooks.end(self._begun.pop(), self._what, self._args, self.ended)
            except BaseException as error:  # noqa: BLE001 - raised after all hooks were called
                raised = error if raised is None or isinstance(raised, PassFailure) else raised
                if isinstance(error, PassFailure) and self.refused and not self.ended.failed:
                    failure = self.refused(error)
                    self.ended = self.ended._replace(failed=True, failure=failure, changed=False)
        if raised is not None:
            raise raised


def _lock_of(instrumentation: PassInstrumentation) -> RLock:
    """Return the lock of an instrumentation, which several threads may share."""
    return vars(instrumentation).setdefault(LOCK, RLock())


def _overrides(hooks: Iterable[str], instrumentation: PassInstrumentation) -> bool:
    kind = type(instrumentation)
    return any(getattr(kind, hook) is not getattr(PassInstrumentation, hook) for hook in hooks)
