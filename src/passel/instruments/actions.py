"""A log of actions, and debug counters, as in MLIR."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from passel.diagnostics import UNKNOWN, Location
from passel.hooks import PassInstrumentation
from passel.ir import PrintFlags
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from passel.errors import Failure
    from passel.schedule import Step

_TAG = "`pass-execution`"
_OUTLINE = PrintFlags(skip_regions=True, local_scope=True)


def place_of(text: str) -> Location:
    """Parse a location of the form `file`, `file:line` or `file:line:col`.

    A missing line or column is 0 in the result. For an `ActionLog`, 0 matches every line or column.

    Raises:
        ValueError: If the text is not a valid location.

    Example:
        >>> str(place_of("in.mlir:3"))
        'in.mlir:3:0'

    Source: `mlir::tracing::FileLineColLocBreakpoint`, MLIR 22.
    """
    file, _, rest = text.partition(":")
    numbers = rest.split(":") if rest else []
    if not file or len(numbers) > 2 or not all(n.isdecimal() for n in numbers):  # noqa: PLR2004 - line and column
        raise ValueError(f"expected 'file:line:col', got '{text}'")
    line, column = map(int, [*numbers, "0", "0"][:2])
    return Location(file, line, column)


class ActionLog(PassInstrumentation):
    """An instrumentation that logs the start and the end of each pass.

    Steps that run nested pipelines are logged as well. The numbering of executions continues from
    one run to the next. With `DebugCounter("pass-execution-count=<n>")`, only the executions 1 to
    `n` run.

    Args:
        stream: The stream that the log is written to.
        places: The locations to log. Only executions on ops at these locations are logged. If
            `places` is empty, all executions are logged.

    Example:
        >>> import sys
        >>> from passel import PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> pm = PassManager("toy.module", adapter=ToyAdapter())
        >>> functions = pm.nest("toy.func")
        >>> pm.add_instrumentation(ActionLog(sys.stdout))
        >>> result = pm.run(parse_toy("toy.module"))
        [thread MainThread, execution 1] begins (no breakpoint) Action `pass-execution` running ...
        [thread MainThread, execution 1] completed `pass-execution`

    Source: `mlir::tracing::ActionLogger`, MLIR 22, whose log also has unbalanced quotes. In MLIR, a
    skipped step has only one line in the log, executions are not numbered, and a log cannot be
    combined with debug counters.
    """

    crosses = True  # counters also count the passes that passes run on another IR

    def __init__(self, stream: TextIO, *, places: Iterable[Location] = ()) -> None:
        self._stream = stream
        self._places = tuple(places)
        self._count = 0
        self._running: list[int] = []  # 0 for an execution that is not logged

    def before_pass(self, step: Step, op: Any) -> None:
        """Log the start of a step if the op is at one of the locations to log."""
        adapter = self.run.adapter
        self._count = number = self._count + 1
        file, line, column, *_ = adapter.location(op) if self._places else UNKNOWN
        is_logged = not self._places or any(
            file == place.file and place.line in (0, line) and place.column in (0, column)
            for place in self._places
        )
        self._running.append(number if is_logged else 0)
        if is_logged:
            name = step.display_name if isinstance(step, PassStep) else _ADAPTOR
            outline = " ".join(adapter.print_op(op, _OUTLINE).split())
            self._write(
                number,
                f"begins (no breakpoint) Action {_TAG} running `{name}` on Operation "
                f"`{adapter.kind_of(op).name}` ({outline})`",
            )

    def after_pass(self, step: Step, op: Any) -> None:
        """Log the end of a step."""
        if number := self._running.pop():
            self._write(number, f"{'skipped' if self.ended.skipped else 'completed'} {_TAG}")

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Log the end of a step without mentioning the failure, as in MLIR."""
        self.after_pass(step, op)

    def _write(self, number: int, text: str) -> None:
        thread = threading.current_thread().name
        self._stream.write(f"[thread {thread}, execution {number}] {text}\n")
        self._stream.flush()  # the last line names the pass during which the process died


_ADAPTOR = "mlir::detail::OpToOpPassAdaptor"
"""MLIR's name for the pass that runs nested pipelines, which scripts that read the log look for."""


EVERY = "pass-execution"
"""The name of the counter of all executions of passes and of steps that run nested pipelines."""


_SETTING = re.compile(r"([^=]+)-(skip|count)=(.*)", re.DOTALL)


@dataclass
class _Counter:
    """A counter and its settings."""

    seen: int = 0
    skip: int = 0
    count: int = -1

    def admits(self) -> bool:
        """Count an execution, and return whether the execution should run."""
        self.seen += 1
        number = self.seen - self.skip
        return self.skip < 0 or (number > 0 and (self.count < 0 or number <= self.count))


class DebugCounter:
    """A gate that runs or skips passes by execution number; see `PassManager.add_gate`.

    The counter `pass-execution` counts the executions of all passes and of all steps that run
    nested pipelines. If `pass-execution` skips a step, the passes in the nested pipelines of the
    step are not counted. A counter with the name of a pass counts the executions of the pass,
    except for executions that `pass-execution` skips. Counters are not reset between runs.

    Args:
        text: The comma-separated settings of counters. `<counter>-skip=<n>` skips the first `n`
            executions. `<counter>-count=<n>` runs the `n` executions after the skipped ones, and
            skips the rest. If `n` is negative, `-count` sets no limit, and `-skip` runs all
            executions regardless of `-count`.

    Raises:
        ValueError: If a setting is malformed.

    Example:
        >>> counter = DebugCounter("cse-skip=1,cse-count=2")
        >>> print(counter.report())
        DebugCounter counters:
        cse                             : {0,1,2}

    Source: `mlir::tracing::DebugCounter`, MLIR 22, which has a counter for each kind of action,
    but none for a single pass.
    """

    def __init__(self, text: str = "") -> None:
        self._counters: dict[str, _Counter] = {}
        self._lock = Lock()
        for argument in text.split(","):
            if argument:
                self._set(argument)
        self._every = self._counters.get(EVERY)

    @property
    def names(self) -> Iterable[str]:
        """The names of the counters that have settings."""
        return self._counters.keys()

    def _set(self, argument: str) -> None:
        setting = _SETTING.fullmatch(argument.strip())
        if setting is None:
            form = "'<counter>-skip=<n>' or '<counter>-count=<n>'"
            raise ValueError(f"expected {form}, got '{argument}'")
        name, what, value = setting.groups()
        if not value.removeprefix("-").isdecimal():
            raise ValueError(f"expected a number for '{name}-{what}', got '{value}'")
        setattr(self._counters.setdefault(name, _Counter()), what, int(value))

    def __call__(self, step: Step, op: Any) -> bool:
        """Count the execution of a step, and return whether the step should run."""
        with self._lock:
            if self._every is not None and not self._every.admits():
                return False
            if not isinstance(step, PassStep):
                return True
            counter = self._counters.get(step.pass_.name)
            return counter is None or counter.admits()

    def report(self) -> str:
        """Return a report with a line `<counter>: {<executions>,<skip>,<count>}` for each counter.

        `<executions>` is the number of executions so far. `<skip>` and `<count>` are the settings.
        If `<count>` is -1, there is no limit.
        """
        lines = [
            f"{name:<32}: {{{counter.seen},{counter.skip},{counter.count}}}"
            for name, counter in sorted(self._counters.items())
        ]
        return "\n".join(["DebugCounter counters:", *lines])
