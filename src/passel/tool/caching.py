"""`--cache`: ops at the top of a source whose results are known are not even parsed.

The others are parsed, run and printed together, in a process of their own, as shards are. If that
fails, has anything to report that is about none of them, or if a pass looks at other ops than its
own, nothing is kept, and the source is processed the plain way.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import brief, log_warning
from passel.ir.frontend import UsageError
from passel.schedule import PipelineCompiler
from passel.store import (
    KnownResults,
    NotKeptError,
    Report,
    Result,
    StoreError,
    default_place,
    open_store,
)
from passel.tool.cutting import workers_of_run, worthwhile_parts
from passel.tool.flag_values import CACHE_MODES, cache_of
from passel.tool.forks import forked_results
from passel.tool.slice_plan import anchors_of, slice_plan
from passel.tool.slices import process_slices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir.frontend import SourcePart
    from passel.tool.reports import PartReports
    from passel.tool.shared import Shared
    from passel.tool.slice_plan import SlicePlan
    from passel.tool.slices import SliceResults


class _Place(NamedTuple):
    """Where results are kept, and what of it is used."""

    mode: str
    where: str


def process_with_store(source: SourcePart, shared: Shared) -> str | bytes | None:
    """Return the result of a source; None if it is to be processed the plain way.

    Raises:
        PasselError: A known result is not what the passes make of an op now.
    """
    place = _place(shared)
    if place.mode == "off":
        return None
    try:
        store = open_store(place.where, writes=place.mode != "read")
        plan = slice_plan(source, shared, is_shared=store.is_shared)
        name = f"{source.name} {source.number}"
        known = KnownResults(store, place.mode, plan.around, plan.slices, name)
        return _Run(source, shared, plan, known).result()
    except NotKeptError as error:
        _explain(shared, f"not used: {error}")
    except OSError as error:  # of code that cannot be read
        _explain(shared, f"not used: {brief(error)}")
    except StoreError as error:
        _warn(shared, error)
    return None


def _place(shared: Shared) -> _Place:
    """Return what the flag says, and what the environment says besides."""
    said = [shared.settings.kept.cache, _of_environment()]
    places = [each for each in said if each and each not in CACHE_MODES]
    mode = next(filter(None, said), "off")
    return _Place(mode if mode in CACHE_MODES else "on", next(iter(places), default_place()))


def _of_environment() -> str:
    try:
        return cache_of(os.environ.get("PASSEL_CACHE") or "")
    except ValueError as error:
        raise UsageError(f"the environment's PASSEL_CACHE {error}") from None


class _Run:
    """One source, of which some may be known.

    Args:
        source: The source.
        shared: Services and settings of all parts of the input.
        plan: Its ops and their keys.
        known: Their results.
    """

    def __init__(
        self, source: SourcePart, shared: Shared, plan: SlicePlan, known: KnownResults
    ) -> None:
        self._source = source
        self._shared = shared
        self._plan = plan
        self._known = known

    def result(self) -> str:
        """Return the result.

        Raises:
            PasselError: A known result is not what the passes make of an op now.
            StoreError: The store cannot be used.
            NotKeptError: Results of this source are not kept.
        """
        with self._shared.reports.part() as reports:
            try:
                return self._result(reports)
            except BaseException:
                reports.writes_timing = False
                raise

    def _result(self, reports: PartReports) -> str:
        known = self._known
        with reports.scope("cached"):
            known.find()
            work = known.work
            if self._shared.settings.kept.cache_explain:
                _explain(self._shared, known.explanation())
        seconds = 0.0
        if work:
            made, around, seconds = self._run(work, reports)
            known.take(made, around)
        with reports.scope("cached"):
            joined = self._joined()
            try:
                known.keep(work, seconds)
            except StoreError as error:
                _warn(self._shared, error)
        self._report(reports)
        return joined

    def _joined(self) -> str:
        try:
            anchors = anchors_of(self._plan.manager)
            made = [each.made for each in self._known.results()]
            joined = self._plan.slices.join(made, self._known.around, anchors)
        except ValueError:
            raise NotKeptError("what is kept is not of this form") from None
        if joined is None:
            raise NotKeptError("ops at the top change what others see of them")
        return joined

    def _run(
        self, work: Sequence[int], reports: PartReports
    ) -> tuple[dict[int, Result], Any, float]:
        """Return the results of some ops, of what is around, and the seconds that they took."""
        slices = self._plan.slices
        found: dict[int, Result] = {}
        around: Any = None
        seconds = 0.0
        for chunk, each in self._ran(work):
            if each.refusal:
                self._known.refuse(each.refusal)
                raise NotKeptError(each.refusal)
            if each.timing is not None and reports.timing is not None:
                reports.timing.merge(each.timing)
            made, around = slices.results(each.emitted)
            seconds += each.seconds
            for n, one in zip(chunk, made, strict=True):
                found[n] = Result(one, each.reports.get(n, Report()))
        return found, around, seconds

    def _ran(self, work: Sequence[int]) -> list[tuple[Sequence[int], SliceResults]]:
        """Return chunks of ops that were run, in forked processes or on the cluster's workers."""
        slices, cluster = self._plan.slices, self._shared.cluster
        size = sum(len(slices.text(n)) for n in work)
        jobs = workers_of_run(self._shared)
        count = min(len(work), worthwhile_parts(self._shared, jobs, size)) if jobs > 1 else 1
        step = -(-len(work) // max(count, 1))
        chunks = [work[n : n + step] for n in range(0, len(work), step)]
        if cluster is None:
            process = partial(process_slices, self._source, self._shared)
            ran = forked_results(jobs, process, [slices.frontend(each) for each in chunks])
        else:
            from passel.tool.remote import RefusedError, slice_results

            try:
                ran = slice_results(cluster, self._source, self._shared, chunks)
            except RefusedError as error:
                log_warning(f"no results are kept: {error}")
                raise NotKeptError(str(error)) from None
        if ran is None:
            raise NotKeptError("the run fails, or has something to report that is about no op")
        return list(zip(chunks, ran, strict=True))

    def _report(self, reports: PartReports) -> None:
        """Report what passes have reported and counted, as the run of all would."""
        counts: dict[tuple[str, str], int] = {}
        for _, report in self._known.results():
            for diagnostic in report.diagnostics:
                self._shared.renderer(diagnostic)
            for key, amount in report.counts.items():
                counts[key] = counts.get(key, 0) + amount
        manager, adapter = self._plan.manager, self._shared.adapter
        pipeline = PipelineCompiler(adapter, manager.context).schedule(manager).pipeline
        reports.write_statistics(pipeline, counts)
        self._shared.reports.note_unmatched(())


def _explain(shared: Shared, text: str) -> None:
    if shared.settings.kept.cache_explain:
        _say(shared, f"cache: {text}")


def _warn(shared: Shared, error: StoreError) -> None:
    _say(shared, f"warning: no results are kept: {error}")


def _say(shared: Shared, text: str) -> None:
    """Print a line without what would control a terminal: a store may hold any text."""
    line = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
    print(f"{shared.settings.program}: {line}", file=sys.stderr)
