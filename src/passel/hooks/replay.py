"""Hooks of a worker, noted there, and called here for observers that look at names alone."""

from __future__ import annotations

from contextlib import suppress
from functools import partialmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.hooks.instrumentation import YIELDS_ONCE, PassInstrumentation
from passel.schedule import PassStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.hooks.instrumentation import Around, Run
    from passel.schedule import Pipeline, Step


class HookLog(PassInstrumentation):
    """A log of the hooks of a part of a run, for an observer elsewhere that looks at names alone.

    Args:
        observer: The observer.
        hooks: The names of the hooks that it has, without `around_`.
    """

    names_only = True

    def __init__(self, observer: PassInstrumentation, hooks: Sequence[str]) -> None:
        self._hooks = hooks
        self.one_by_one: bool = observer.one_by_one
        self.finds_changes: bool = observer.finds_changes
        self.collects_statistics: bool = observer.collects_statistics
        self._known: dict[Any, Any] = {}
        self._events: list[tuple[str, Any]] = []

    def before_run(self, run: Run) -> None:
        """Find out what need not be sent, as it is known elsewhere."""
        parts = _parts_of(run.pipeline)
        self._known = {id(each): _Reference(key) for key, each in parts}

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Forget it."""
        self._known = {}

    def _note(self, what: str, *args: Any) -> Around:
        if what not in self._hooks:
            yield
            return
        self._events.append((what, tuple(self._known.get(id(each), each) for each in args)))
        self._events.append(("", (yield)))

    def replay(self, observer: PassInstrumentation) -> None:
        """Call the hooks of the observer, with the steps of its run."""
        known, begun = dict(_parts_of(observer.run.pipeline)), list[Any]()
        for what, noted in self._events:
            if what:
                args = (known[e.key] if isinstance(e, _Reference) else e for e in noted)
                begun.append(getattr(observer, f"around_{what}")(*args))
                if (raised := next(begun[-1])) is not None:
                    raise raised
            else:
                with suppress(StopIteration):
                    begun.pop().send(noted)
                    raise RuntimeError(YIELDS_ONCE)


for _what in ("pipeline", "pass", "verification", "analysis", "scope"):
    setattr(HookLog, f"around_{_what}", partialmethod(HookLog._note, _what))  # pyright: ignore[reportPrivateUsage]


class _Reference(NamedTuple):
    """A part of the run's pipeline, as all processes name it."""

    key: tuple[str, str, str]


def _parts_of(pipeline: Pipeline) -> Iterator[tuple[tuple[str, str, str], Step | Pipeline]]:
    """Yield all steps and pipelines inside of a pipeline, each with what tells it from others."""
    for step in pipeline.steps:
        if isinstance(step, PassStep):
            yield ("pass", step.path, ""), step
            continue
        inner = [next((each.path for each in passes_of(p)), "") for p in step.pipelines]
        yield ("nested", step.path, " ".join(inner)), step
        for nested, first in zip(step.pipelines, inner, strict=True):
            yield ("pipeline", nested.path, first), nested
            yield from _parts_of(nested)
