"""Places in a pipeline, and a gate that runs only the passes between two places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import suggest
from passel.errors import PipelineError, Problem
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.schedule import Step


class Place(NamedTuple):
    """A point in a run, right after the execution of a pass.

    Attributes:
        path: The path of the pass, such as `builtin.module/func.func/1:cse`.
        symbol: The symbol name of the op that the pass ran on. An empty string means all ops.

    Example:
        >>> Place.of("1:cse@main", ["builtin.module/func.func/1:cse"])
        Place(path='builtin.module/func.func/1:cse', symbol='main')
    """

    path: str
    symbol: str = ""

    @classmethod
    def of(cls, text: str, paths: Sequence[str]) -> Place:
        """Parse the text of a place, such as `1:cse@main`.

        Args:
            text: A path or a unique suffix of a path, optionally followed by `@` and the symbol
                name of an op.
            paths: The paths of all passes in the pipeline.

        Raises:
            PipelineError: If the text matches no pass, or more than one pass.
        """
        path, _, symbol = text.partition("@")
        found = [each for each in paths if path in (each, _name_of(each))]
        found = found or [each for each in paths if each.endswith(f"/{path}")]
        if len(found) == 1:
            return cls(found[0], symbol)
        listed = "".join(f"\n  {each}" for each in found or paths)
        if found:
            raise PipelineError(Problem(f"'{path}' matches {len(found)} passes; pick one:{listed}"))
        hint = suggest(path, [*paths, *map(_name_of, paths)])
        where = f"the passes are:{listed}" if paths else "the pipeline has no passes"
        raise PipelineError(Problem(f"no pass matches '{path}'{hint}; {where}"))

    def __str__(self) -> str:
        """Return the place as text."""
        return f"{self.path}@{self.symbol}" if self.symbol else self.path


def _name_of(path: str) -> str:
    """Return the name of the pass at a path."""
    return path.rpartition("/")[2].partition(":")[2]


class Stretch:
    """A gate that runs only the passes between two places (see `PassManager.add_gate`).

    At a place without a symbol, the pass of the place and all passes before it have run on all ops,
    and no pass after it has run. A place with a symbol marks the point in a sequential run just
    after the pass has run on the op with that symbol. The nested pipeline has then finished on the
    ops before this op, and has not started on the ops after it. A run that stops at a place,
    followed by a run that starts at the place, has the same effect on the IR as a single run.

    A dynamic pipeline, or a pipeline on another IR, counts as a part of the pass that runs the
    pipeline.

    Args:
        paths: The paths of all passes in execution order (see `passes_by_path`).
        symbol_of: A function that returns the symbol name of an op.
        start: The place where the run starts; None means the start of the pipeline.
        stop: The place where the run ends; None means the end of the pipeline.

    Attributes:
        missed: The first of the places `start` and `stop` that has a symbol and that the run has
            not reached; None if there is no such place.
    """

    def __init__(
        self,
        paths: Sequence[str],
        symbol_of: Callable[[Any], str | None],
        start: Place | None = None,
        stop: Place | None = None,
    ) -> None:
        self._numbers = {path: number for number, path in enumerate(paths)}
        self._symbol_of = symbol_of
        self._start, self._stop = start, stop
        self._awaits_start = bool(start and start.symbol)
        self._awaits_stop = bool(stop and stop.symbol)
        self._is_over = False

    @property
    def missed(self) -> Place | None:
        """The first of `start` and `stop` that has a symbol and that the run has not reached."""
        if self._awaits_start:
            return self._start
        return self._stop if self._awaits_stop else None

    def __call__(self, step: Step, op: Any) -> bool:
        """Return whether a step may run on an op."""
        if not isinstance(step, PassStep) or step.path not in self._numbers:
            return True
        number, start, stop = self._numbers[step.path], self._start, self._stop
        place = Place(step.path, self._symbol_of(op) or "")
        if self._awaits_start:
            self._awaits_start = place != start
            return False
        if start and not start.symbol and number <= self._numbers[start.path]:
            return False
        if self._is_over or (stop and not stop.symbol and number > self._numbers[stop.path]):
            return False
        self._is_over = self._awaits_stop and place == stop
        self._awaits_stop = self._awaits_stop and not self._is_over
        return True
