"""Replays: commands that run a pass again, on the IR that a record has before it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passel.record.model import Execution
    from passel.record.reader import Record


def replay(record: Record, execution: Execution) -> str:
    """Return the command that runs the pass of an execution again on its op alone.

    A pass that another one has run is replayed with that. Where the symbol name of an op does not
    tell it from others, the pass runs on all of its ops.

    Args:
        record: The record, whose file the command reads.
        execution: The execution.

    Returns:
        The command. Empty if the record does not have the IR before the pass, or passel-opt cannot
        run it: it is a function of Python, or one of several parts of an input.
    """
    while execution.caller is not None:
        execution = record.executions[execution.caller]
    earlier = [e for e in record.executions[: execution.number] if e.caller is None]
    start = _place(record, earlier[-1]) if earlier else ""
    stop = _place(record, execution)
    if execution.run or not stop or (earlier and not start):
        return replay_of_pass(record, execution.path, execution.run)
    known = record.state_before(execution) is not None
    return _command(record, start, stop) if known else ""


def replay_of_pass(record: Record, path: str, run: int = 0) -> str:
    """Return the command that runs a pass again on all of its ops; see `replay`.

    Args:
        record: The record.
        path: The path of the pass.
        run: The number of the run.
    """
    info = record.info.runs[run]
    paths = [step.path for step in info.steps]
    if run or path not in paths:
        return ""
    earlier = paths[: paths.index(path)]
    known = info.before if not earlier else record.state_at(earlier)
    return _command(record, earlier[-1] if earlier else "", path) if known is not None else ""


def _place(record: Record, execution: Execution) -> str:
    """Return the place right after an execution; empty if no place is just that."""
    path, symbol = execution.path, execution.symbol
    others = [e.symbol for e in record.executions if e.path == path and e != execution]
    if not symbol:
        return "" if others else path
    return "" if symbol in others else f"{path}@{symbol}"


def _command(record: Record, start: str, stop: str) -> str:
    template = record.info.runs[0].replay
    if not template:
        return ""
    places = [f"--start-after={start}"] if start else []
    places.append(f"--stop-after={stop}")
    return template.replace("{file}", shlex.join([*places, str(record.path)]))
