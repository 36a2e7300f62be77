"""Trace runs for viewers such as Perfetto.

Source: `mlir::tracing::ActionProfiler`, MLIR 22.
"""

from __future__ import annotations

import os
import time
from copy import copy
from json import dumps
from threading import get_native_id
from typing import TYPE_CHECKING, Any, Self

from passel.hooks import PassInstrumentation

if TYPE_CHECKING:
    from typing import TextIO

    from passel.errors import Failure
    from passel.hooks import ObservedRun
    from passel.schedule import Step


class Trace(PassInstrumentation):
    """An instrumentation that writes a trace in Chrome's format, which ui.perfetto.dev can open.

    The trace has a track for each thread. Each execution of a pass, or of a step that runs nested
    pipelines, is a slice. Times are in microseconds.

    Args:
        stream: The stream that the trace is written to. Each run writes a separate JSON array. All
            runs inside a `with trace:` block share one array.

    Example:
        >>> import io, json
        >>> from passel import PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> pm, stream = PassManager("toy.module", adapter=ToyAdapter()), io.StringIO()
        >>> functions = pm.nest("toy.func").add(lambda op, _: None)
        >>> pm.add_instrumentation(Trace(stream))
        >>> result = pm.run(parse_toy("toy.module(toy.func @f)"))
        >>> [e["name"] for e in json.loads(stream.getvalue()) if e["ph"] == "B"]
        ["Pipeline Collection : ['toy.func']", 'lambda']

    Source: `--profile-actions-to` of mlir-opt, MLIR 22, in which all slices are called
    `pass-execution`.
    """

    crosses = True  # it asks the innermost run

    def __init__(self, stream: TextIO) -> None:
        self._stream: TextIO | None = stream
        self._events: list[str] = []
        self._depth = 0

    def before_run(self, run: ObservedRun) -> None:
        """Start collecting events."""
        self.__enter__()

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Write the events, unless an enclosing run or `with` statement is still active."""
        self.__exit__()

    def __enter__(self) -> Self:
        """Hold back the events until the `with` statement ends."""
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth and self._stream is not None:
            self._stream.write("[\n" + ",\n".join(self._events) + "\n]\n")
            self._stream.flush()
            self._events.clear()

    def split(self) -> Trace:
        """Return a trace that stores the events of a worker."""
        part = copy(self)
        part._stream, part._events = None, []
        return part

    def merge(self, child: Trace) -> None:
        """Add the events of a worker."""
        self._events += child._events

    def before_pass(self, step: Step, op: Any) -> None:
        """Begin a slice.

        The description of the slice is worded as in MLIR: `CSE` on 'func.func' operation: @main.
        """
        description = f"`{step.display_name}` on {self.run.identity_of(op).title}"
        self._event("B", step.display_name, args={"desc": description})

    def after_pass(self, step: Step, op: Any) -> None:
        """End the slice."""
        self._event("E", step.display_name)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """End the slice."""
        self._event("E", step.display_name)

    def _event(self, phase: str, name: str, **more: object) -> None:
        where = {"pid": os.getpid(), "tid": get_native_id(), "ts": time.monotonic_ns() / 1000}
        event = {"name": name, "cat": "PERF", "ph": phase, **where, **more}
        self._events.append(dumps(event))
