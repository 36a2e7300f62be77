"""Trace runs for viewers such as Perfetto."""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from passel.diagnostics import log_exception
from passel.hooks import PassInstrumentation
from passel.instruments.events import execution_of
from passel.instruments.whole_files import is_special, lasting
from passel.ir import inwards
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import TextIO

    from passel.errors import Failure
    from passel.hooks import ObservedRun, OpIdentity
    from passel.schedule import Pipeline, Step

Event: TypeAlias = dict[str, Any]

_SHARE = 50
"""The inverse of the fraction of a run's time that counting ops may take."""
_MEMORY_PERIOD = 5_000.0
"""The time between two measurements of memory, in microseconds."""
_PERIOD = 200_000.0
"""The time between two writes of events, in microseconds."""
_END = "\n]\n"
_encode = json.JSONEncoder(default=str).encode


class Trace(PassInstrumentation):
    """An instrumentation that writes a trace in Chrome's format, which ui.perfetto.dev can open.

    The trace has a track for each thread, with a slice for each execution of a pass, nested
    pipeline, verifier or analysis. Counters below the tracks show the number of ops and the memory
    of the process. The file contains all runs, and is valid JSON after each run, even if the run
    failed or was interrupted. If the process is killed, viewers can open the part of the file that
    was written.

    Args:
        target: The path of a file, or a stream. If the target is a stream, each run writes a
            separate JSON array, unless all runs are inside one `with trace:` block.

    Example:
        >>> import io, json
        >>> from passel import PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> pm, stream = PassManager("toy.module", adapter=ToyAdapter()), io.StringIO()
        >>> functions = pm.nest("toy.func")
        >>> with pm.instrument(Trace(stream)):
        ...     result = pm.run(parse_toy("toy.module(toy.func @f)"))
        >>> [e["name"] for e in json.loads(stream.getvalue()) if e["ph"] == "B"]
        ["Pipeline Collection : ['toy.func'] toy.module", "'toy.func' Pipeline @f"]

    Source: `--profile-actions-to` of mlir-opt, MLIR 22, which also writes an array of begin and end
    events. In MLIR, passes are the only slices, and all slices are called `pass-execution`.
    """

    finds_changes = True
    crosses = True  # it asks the innermost run

    def __init__(self, target: str | Path | TextIO) -> None:
        is_path = isinstance(target, str | Path)
        self._target: Path | TextIO | None = lasting(target) if is_path else target
        self._size = 0  # of the file, without the end of the array
        self._pending: list[Event] = []
        self._origin = time.perf_counter_ns()
        self._threads: set[tuple[int, int]] = set()
        self._depth = 0
        self._broken = False
        self._next_write = self._next_ops = self._next_memory = 0.0

    # -- Runs ----------------------------------------------------------------------------------

    def before_run(self, run: ObservedRun) -> None:
        """Begin the JSON array if necessary, and count the ops before the run."""
        self.__enter__()
        self._sample(forced=run.outer is None)

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Count the ops after the run, and complete the file."""
        self._sample(forced=run.outer is None)
        self.__exit__()

    def __enter__(self) -> Self:
        """Keep the JSON array open until the `with` statement ends."""
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._write(complete=True)

    @contextmanager
    def scope(self, name: str) -> Generator[None]:
        """Write a slice for the body of a `with` statement, which may contain runs."""
        with self:
            self._begin(name, "tool", {})
            try:
                yield
            finally:
                self._end()

    # -- Other processes -----------------------------------------------------------------------

    def split(self) -> Trace:
        """Return a trace for a worker's events, with times relative to the start of this trace."""
        child = Trace(os.devnull)
        child._target, child._origin = None, self._origin
        return child

    def merge(self, child: Trace) -> None:
        """Add the events of a worker as separate tracks. Viewers sort the events by time."""
        self._pending += child._pending

    # -- Slices --------------------------------------------------------------------------------

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Begin a slice such as `'func.func' Pipeline @main`."""
        ops = self.run.identify(op)
        name = f"'{pipeline.anchor}' Pipeline {_place(ops[-1])}"
        self._begin(name, "pipeline", {"path": pipeline.path, **_identity(ops)})

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """End the slice of the nested pipeline."""
        self._end(**({"failed": True} if failed else {}))

    def before_pass(self, step: Step, op: Any) -> None:
        """Begin a slice such as `cse @main`."""
        execution = execution_of(self.run, step, op)
        name = execution.name or execution.display_name
        location = self.run.adapter.location(op)
        place = str(location) if location.file else location.label or "unknown"
        args = {"path": step.path, **_identity(execution.ops), "location": place}
        if isinstance(step, PassStep):
            args["options"] = step.pass_.option_text()
        self._begin(f"{name} {_place(execution.op)}", "pass", args)

    def after_pass(self, step: Step, op: Any) -> None:
        """End the slice of the pass, and store whether the pass changed its op."""
        if self.ended.skipped:
            self._end(skipped=True)
        elif isinstance(step, PassStep):
            self._end(changed=self.ended.changed)
        else:
            self._end()
        self._sample()

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """End the slice of the pass, and store the failure."""
        why = failure and {"kind": failure.kind, "message": failure.diagnostic.message}
        self._end(failed=True, **(why or {}))

    def before_verification(self, step: Step, op: Any) -> None:
        """Begin a slice for the verifier."""
        self._begin("verify", "verification", {"path": step.path})

    def after_verification(self, step: Step, op: Any) -> None:
        """End the slice of the verifier."""
        self._end()

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Begin a slice such as `(A) DominanceInfo`."""
        self._begin(f"(A) {name}", "analysis", {"op": _place(self.run.identity_of(op))})

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """End the slice of the analysis."""
        self._end()

    # -- Events --------------------------------------------------------------------------------

    def _begin(self, name: str, category: str, args: dict[str, Any]) -> None:
        self._event("B", name=name, cat=category, args=args)

    def _end(self, **args: Any) -> None:
        self._event("E", args=args)

    def _now(self) -> float:
        """Return the time since the trace was created, in microseconds."""
        return (time.perf_counter_ns() - self._origin) / 1000

    def _event(self, phase: str, **fields: Any) -> None:
        pid, tid = os.getpid(), threading.get_native_id()
        if self._broken:
            return
        if (pid, tid) not in self._threads:
            self._announce(pid, tid)
        now = self._now()
        self._pending.append({"ph": phase, "pid": pid, "tid": tid, "ts": now, **fields})
        if now > self._next_write:
            self._next_write = now + _PERIOD
            self._write()

    def _announce(self, pid: int, tid: int) -> None:
        """Name a track, and the process if it is the first track."""
        names = {"thread_name": threading.current_thread().name}
        if not self._threads:
            names["process_name"] = "passel" if self._target is not None else "passel worker"
        self._threads.add((pid, tid))
        common = {"ph": "M", "pid": pid, "tid": tid, "ts": self._now()}
        self._pending += [{**common, "name": k, "args": {"name": v}} for k, v in names.items()]

    def _sample(self, *, forced: bool = False) -> None:
        """Record the memory and, if counting is fast enough, the number of ops."""
        run, now = self.run, self._now()
        if forced or now > self._next_memory:
            self._next_memory = now + _MEMORY_PERIOD
            if memory := resident_memory():
                self._event("C", name="memory", args={"MB": round(memory / 2**20, 2)})
        is_part = self._target is None  # a worker may have only some of the ops
        if not is_part and (forced or (now > self._next_ops and run.outer is None)):
            started = self._now()
            count = sum(1 for _ in inwards(run.adapter, run.op))
            self._event("C", name="ops", args={"ops": count})
            now = self._now()
            self._next_ops = now + _SHARE * (now - started)

    def _write(self, *, complete: bool = False) -> None:
        """Write the pending events; to a stream only when the array is complete."""
        target = self._target
        grows = isinstance(target, Path) and not is_special(target)
        if self._broken or target is None or not (grows or complete):
            return
        text = ",\n".join(map(_encode, self._pending))
        try:
            if not isinstance(target, Path):
                target.write(f"[\n{text}{_END}")
                target.flush()
            elif not grows:
                target.write_text(f"[\n{text}{_END}", encoding="ascii")
            elif text or not self._size:
                self._append(target, text)
        except OSError:
            self._broken = True  # for good: the contents of the file are unknown now
            log_exception("cannot write the trace")
        self._pending.clear()

    def _append(self, path: Path, text: str) -> None:
        """Write events in place of the end of the array, and the end after them."""
        with path.open("r+" if self._size else "w", encoding="ascii", newline="\n") as file:
            file.seek(self._size)
            file.write(f",\n{text}" if self._size else f"[\n{text}")
            self._size = file.tell() if text else 0
            file.write(_END)


def _identity(ops: Sequence[OpIdentity]) -> dict[str, Any]:
    """Return the identity of an op, for slices."""
    ordinals = [each.ordinal for each in ops]
    return {"op": ops[-1].name, "symbol": ops[-1].symbol, "ordinals": ordinals}


def _place(op: OpIdentity) -> str:
    return f"@{op.symbol}" if op.symbol else op.name


def resident_memory() -> int:
    """Return the resident memory of the process in bytes, or 0 if the size is unknown."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - takes half the time of a Path
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
