"""`--cache`: ops at the top of a source whose results are known are not even parsed.

The others are parsed, run and printed together, in a process of their own, as shards are. If that
fails, has anything to report that is about none of them, or if a pass looks at other ops than its
own, nothing is kept, and the source is processed the plain way.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import brief
from passel.ir import ANY
from passel.ir.frontend import SlicesSources, UsageError
from passel.manager import OpPassManager
from passel.schedule import PipelineCompiler
from passel.store import (
    KnownResults,
    NotKeptError,
    Report,
    Result,
    StoreError,
    default_place,
    key_of_run,
    open_store,
)
from passel.tool.flag_values import CACHE_MODES, cache_of
from passel.tool.sharding import (
    SAME_FOR_SHARDS,
    forked_results,
    manager_for_shards,
    workers_of_run,
)
from passel.tool.slices import process_slices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.ir.frontend import Slices, SourcePart
    from passel.manager import PassManager
    from passel.tool.reports import PartReports
    from passel.tool.shared import Shared

_PER_SHARD = 10_000
"""Characters for which it pays to take another process."""

_ABOUT_REPORTS = frozenset(
    {
        "color",
        "info-output-file",
        "mlir-diagnostic-verbosity-level",
        "mlir-output-format",
        "mlir-pass-statistics-display",
        "mlir-timing",
        "mlir-timing-columns",
        "mlir-timing-display",
        "output-split-marker",
        "split-input-file",
    }
)
"""Flags that change how results are reported, and no result."""

_IN_KEY_OTHERWISE = _ABOUT_REPORTS | {
    "cache",
    "cache-explain",
    "cluster",
    "jobs",
    "load-pass-plugin",
    "o",
    "pass-pipeline",
    "pipeline-variable",
}
"""Flags whose meaning is part of the key in another way, or does not change the result."""

_ALLOWED = SAME_FOR_SHARDS | _ABOUT_REPORTS | {"mlir-pass-statistics"}
"""Flags with which results are kept."""


class _Place(NamedTuple):
    """Where results are kept, and what of it is used."""

    mode: str
    where: str


class _Plan(NamedTuple):
    """A source whose results may be known.

    Attributes:
        slices: Its ops.
        manager: What runs on them.
        around: What all keys have in common, by names for explanations.
    """

    slices: Slices
    manager: PassManager
    around: Mapping[str, str]


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
        plan = _plan(source, shared, is_shared=store.is_shared)
        known = KnownResults(store, place.mode, plan.around, plan.slices, source.name)
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
        self, source: SourcePart, shared: Shared, plan: _Plan, known: KnownResults
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
        before = os.times()
        if work:
            known.take(*self._run(work, reports))
        after = os.times()
        with reports.scope("cached"):
            joined = self._joined()
            try:
                known.keep(work, sum(after[2:4]) - sum(before[2:4]))
            except StoreError as error:
                _warn(self._shared, error)
        self._report(reports)
        return joined

    def _joined(self) -> str:
        try:
            anchors = _anchors(self._plan.manager)
            joined = self._plan.slices.join(self._known.made(), self._known.around, anchors)
        except ValueError:
            raise NotKeptError("what is kept is not of this form") from None
        if joined is None:
            raise NotKeptError("ops at the top change what others see of them")
        return joined

    def _run(self, work: Sequence[int], reports: PartReports) -> tuple[dict[int, Result], Any]:
        """Return the results of some ops, and of what is around."""
        slices = self._plan.slices
        size = sum(len(slices.text(n)) for n in work)
        jobs = workers_of_run(self._shared)
        count = min(len(work), jobs * 4, size // _PER_SHARD) if jobs > 1 else 1
        step = -(-len(work) // max(count, 1))
        chunks = [work[n : n + step] for n in range(0, len(work), step)]
        frontends = [slices.frontend(each) for each in chunks]
        ran = forked_results(jobs, partial(process_slices, self._source, self._shared), frontends)
        if ran is None:
            raise NotKeptError("the run fails, or has something to report that is about no op")
        found: dict[int, Result] = {}
        around: Any = None
        for chunk, each in zip(chunks, ran, strict=True):
            if each.refusal:
                self._known.refuse(each.refusal)
                raise NotKeptError(each.refusal)
            if each.timing is not None and reports.timing is not None:
                reports.timing.merge(each.timing)
            made, around = slices.results(each.emitted)
            for n, one in zip(chunk, made, strict=True):
                found[n] = Result(one, each.reports.get(n, Report()))
        return found, around

    def _report(self, reports: PartReports) -> None:
        """Report what passes have reported and counted, as the run of all would."""
        counts: dict[tuple[str, str], int] = {}
        for report in self._known.reports():
            for diagnostic in report.diagnostics:
                self._shared.renderer(diagnostic)
            for key, amount in report.counts.items():
                counts[key] = counts.get(key, 0) + amount
        manager, adapter = self._plan.manager, self._shared.adapter
        pipeline = PipelineCompiler(adapter, manager.context).schedule(manager).pipeline
        reports.write_statistics(pipeline, counts)
        self._shared.reports.note_unmatched(())


def _plan(source: SourcePart, shared: Shared, *, is_shared: bool) -> _Plan:
    """Return what is needed to look results up, in a store that other machines may share.

    Raises:
        NotKeptError: Results of this source are not kept, or it is not known what they depend on.
    """
    frontend, settings = shared.frontend, shared.settings
    if not isinstance(frontend, SlicesSources) or not isinstance(source.text, str):
        raise NotKeptError(f"--ir={shared.adapter.name} does not cut its input")
    others = sorted(settings.written.keys() - _ALLOWED)
    if settings.reports.mlir_timing_display == "ops":
        others.append("mlir-timing-display=ops")
    if others:
        reason = f"--{others[0]} concerns the run as a whole"
        if settings.kept.cache:
            shared.reports.note_unkept(reason)
        raise NotKeptError(reason)
    tool = settings.tool
    if (
        tool.setup is not None
        or tool.dialects
        or shared.cluster is not None
        or not hasattr(os, "fork")
    ):
        raise NotKeptError("the tool, or a cluster, does what a key does not hold")
    manager = manager_for_shards(shared, is_asked=True)
    if manager is None:
        raise NotKeptError("the pipeline is not of nested pipelines alone, or has effects")
    _anchors(manager)
    plugins = (
        f"passel_plugin_{Path(each).stem}" if each.endswith(".py") else each
        for each in settings.pipeline.load_pass_plugin
    )
    text = manager.to_text(all_options=True)
    key, has_code = key_of_run(manager, text, shared.adapter, plugins, is_shared=is_shared)
    places = has_code or settings.print_flags.debuginfo
    slices = frontend.slices(source, places=places)
    if slices is None:
        raise NotKeptError("the layout of the input is unusual, or it has resources")
    flags = {
        f"--{name}": repr(words)
        for name, words in sorted(settings.written.items())
        if name not in _IN_KEY_OTHERWISE
    }
    around = {**key, **flags, "what is around the ops": repr(slices.around)}
    return _Plan(slices, manager, around)


def _anchors(manager: PassManager) -> list[str]:
    """Return what the nested pipelines run on.

    Raises:
        NotKeptError: They nest deeper.
    """
    anchors: list[str] = []
    for each in manager:
        assert isinstance(each, OpPassManager)  # noqa: S101 - the manager of shards has no others
        if any(isinstance(inner, OpPassManager) for inner in each):
            raise NotKeptError("the pipeline nests deeper than the ops at the top")
        anchors.append(ANY if each.anchor == ANY else each.anchor)
    return anchors


def _explain(shared: Shared, text: str) -> None:
    if shared.settings.kept.cache_explain:
        _say(shared, f"cache: {text}")


def _warn(shared: Shared, error: StoreError) -> None:
    _say(shared, f"warning: no results are kept: {error}")


def _say(shared: Shared, text: str) -> None:
    """Print a line without what would control a terminal: a store may hold any text."""
    line = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
    print(f"{shared.settings.program}: {line}", file=sys.stderr)
