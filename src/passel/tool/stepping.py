"""Stopping and going on, as the flags for it ask.

The pipeline is built whole, and gates leave out what lies elsewhere: so each pass keeps its path,
its statistics and its options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.errors import PipelineError
from passel.instruments.reproducer_file import reproducer_text
from passel.ir.frontend import SourcePart, UsageError
from passel.record import Record
from passel.search import Place, Stretch
from passel.tool.flags import flags_in
from passel.tool.irs import flag_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.manager import PassManager, RunResult
    from passel.tool.settings import Settings


def run_stretch(
    manager: PassManager, op: Any, settings: Settings, how: Mapping[str, Any]
) -> RunResult:
    """Run what the flags leave of a pipeline, and return the result of the run.

    Args:
        manager: The pipeline.
        op: What it runs on.
        settings: The settings of the command line.
        how: How to run, as `PassManager.run` takes it.

    Raises:
        UsageError: The flags name a place that does not exist, or was not reached.
        PassFailedError: A pass failed.
    """
    paths = tuple(manager.passes_by_path())
    start = _place(settings.stepping.start_after, "start-after", paths)
    stop = _place(settings.stepping.stop_after, "stop-after", paths)
    is_known = start and stop and not (start.symbol and stop.symbol)  # else the run tells
    if start and stop and is_known and _order(start, paths) > _order(stop, paths):
        raise UsageError(f"{stop} comes before {start} in the pipeline: nothing lies between")
    stretch = Stretch(paths, settings.ir.adapter.symbol_name, start, stop)
    manager.add_gate(stretch)
    result = manager.run(op, **how)
    if (missed := stretch.missed) is not None:
        raise UsageError(
            f"the run has not come to {missed}: the pass there ran on no op called @{missed.symbol}"
        )
    return result


def recorded_source(settings: Settings) -> SourcePart:
    """Return the IR that the input, a record, has where the run is to go on, with its pipeline.

    Raises:
        UsageError: There is no such place in it, or the IR there is not known.
        RecordError: The record is damaged.
    """
    record = Record.open(settings.input)
    run = record.info.runs[0]
    if settings.ir.name != run.ir:
        raise UsageError(f"'{settings.input}' is a record of another IR: {flag_for(run.ir)}")
    paths = [step.path for step in run.steps]
    place = _place(settings.stepping.start_after, "start-after", paths)
    if place is None:
        text = None if run.before is None else record.text(run.before)
    elif not place.symbol:
        text = record.state_at(paths[: paths.index(place.path) + 1])
    else:
        found = [e for e in record.executions if (e.path, e.symbol) == (place.path, place.symbol)]
        if not found:
            raise UsageError(f"'--start-after': in the record, no pass ran at {place}")
        text = record.state_after(found[0])
    if text is None:
        raise UsageError(f"the record does not have the IR after {place or 'parsing'}")
    case = reproducer_text(text, run.pipeline)
    return SourcePart(case, settings.input, is_recorded=True)


def recorded_plugins(settings: Settings) -> list[str]:
    """Return the flags for plugins that the recorded run had, and this command line lacks."""
    words = flags_in(Record.open(settings.input).info.command_line[1:])
    given = settings.written.get("load-pass-plugin", ())
    flags = [f"--{name}={value}" for name, value in words if name == "load-pass-plugin"]
    return [each for each in flags if each not in given]


def _order(place: Place, paths: Sequence[str]) -> tuple[int, bool]:
    """Return a key by which places are in the order of the pipeline, those on one op first."""
    return paths.index(place.path), not place.symbol


def _place(text: str, flag: str, paths: Sequence[str]) -> Place | None:
    if not text:
        return None
    try:
        return Place.of(text, paths)
    except PipelineError as error:
        raise UsageError(f"'--{flag}': {error}") from None
