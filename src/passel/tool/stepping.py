"""Stopping, editing and going on, as the flags for it ask.

The pipeline is built whole, and gates leave out what lies elsewhere: so each pass keeps its path,
its statistics and its options.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from passel.errors import PipelineError
from passel.instruments.reproducer_file import reproducer_text
from passel.ir.frontend import SourcePart, UsageError
from passel.record import Record
from passel.search import Place, Stretch
from passel.tool.editing import edit
from passel.tool.flags import flags_in
from passel.tool.irs import flag_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.ir.frontend import Parsed
    from passel.manager import PassManager, RunResult
    from passel.schedule import Step
    from passel.tool.flag_groups import SteppingFlags
    from passel.tool.settings import Settings
    from passel.tool.shared import Shared


def run_in_stretches(
    manager: PassManager, parsed: Parsed, shared: Shared, how: Mapping[str, Any]
) -> tuple[Parsed, RunResult]:
    """Run what the flags leave of a pipeline, and return the IR with the result of the run.

    Args:
        manager: The pipeline.
        parsed: The IR.
        shared: Services and settings of all parts of the input.
        how: How to run, as `PassManager.run` takes it.

    Raises:
        UsageError: The flags name a place that does not exist, or was not reached.
        PassFailedError: A pass failed.
    """
    flags = shared.settings.stepping
    if flags.interactive:
        from passel.tool.prompt import Prompt

        return Prompt(manager, parsed, shared).run()
    paths, adapter = tuple(manager.passes_by_path()), shared.adapter
    stretch: Stretch | None = None

    def admits(step: Step, op: Any) -> bool:
        return stretch is None or stretch(step, op)

    manager.add_gate(admits)
    result: RunResult | None = None
    for start, stop in pairwise(_places(flags, paths)):
        if result is not None and start is not None:
            parsed = replace(parsed, op=_edited(parsed.op, manager.context, start, shared))
            shared.replay.begin_at(str(start))
        stretch = Stretch(paths, adapter.symbol_name, start, stop)
        result = manager.run(parsed.op, **how)
        if (missed := stretch.missed) is not None:
            raise UsageError(
                f"the run has not come to {missed}: the pass there ran on no op called "
                f"@{missed.symbol}"
            )
    assert result is not None  # noqa: S101 - there is at least one stretch
    return parsed, result


def recorded_source(settings: Settings) -> SourcePart:
    """Return the IR that the input, a record, has where the run is to go on, with its pipeline.

    Raises:
        UsageError: There is no such place in it, or the IR there is not known.
        RecordError: The record is damaged.
    """
    record = Record.open(settings.input)
    run = record.info.runs[0]
    if settings.reading.ir not in (run.ir, "auto"):
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
    if text is None or (place and any(each.is_fused for each in record.executions)):
        hint = "; record it with --record-each-pass" if run.ir == "mlir" else ""
        raise UsageError(f"the record does not have the IR after {place or 'parsing'}{hint}")
    case = reproducer_text(text, run.pipeline)
    return SourcePart(case, settings.input, is_recorded=True)


def recorded_plugins(settings: Settings) -> list[str]:
    """Return the flags for plugins that the recorded run had, and this command line lacks."""
    words = flags_in(Record.open(settings.input).info.command_line[1:])
    given = settings.written.get("load-pass-plugin", ())
    flags = [f"--{name}={value}" for name, value in words if name == "load-pass-plugin"]
    return [each for each in flags if each not in given]


def _places(flags: SteppingFlags, paths: Sequence[str]) -> list[Place | None]:
    """Return where stretches begin and end, in order.

    Raises:
        UsageError: They are not in order.
    """
    start = _place(flags.start_after, "start-after", paths)
    stop = _place(flags.stop_after, "stop-after", paths)
    edits = [_place(text, "edit-ir-after", paths) for text in flags.edit_ir_after]
    edits.sort(key=lambda place: paths.index(place.path) if place else -1)
    places = [start, *edits, stop]
    known = [each for each in places if each]
    for one, other in pairwise(known):
        in_turn = one.symbol and other.symbol  # on the ops one by one: the run tells
        if not in_turn and _order(one, paths) > _order(other, paths):
            raise UsageError(f"{other} comes before {one} in the pipeline: nothing lies between")
    return places


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


def _edited(op: Any, context: Any, place: Place, shared: Shared) -> Any:
    """Return the IR that an editor makes of an op.

    Raises:
        UsageError: The editor fails, or what it leaves is not valid and is not mended.
    """
    text = shared.adapter.print_op(shared.adapter.op_of(op), shared.settings.print_flags)
    return edit(text, place.path.rpartition(":")[2], context, shared)
