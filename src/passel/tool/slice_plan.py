"""Plan of a run by slices: the ops at the top of a source, and what results of all depend on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from passel.ir import ANY
from passel.ir.frontend import SlicesSources
from passel.manager import OpPassManager
from passel.store import NotKeptError, key_of_run
from passel.tool.cutting import SAME_FOR_SHARDS, manager_for_shards

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passel.ir.frontend import Slices, SourcePart
    from passel.manager import PassManager
    from passel.tool.shared import Shared

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


class SlicePlan(NamedTuple):
    """A source whose results may be known.

    Attributes:
        slices: Its ops.
        manager: What runs on them.
        around: What all keys have in common, by names for explanations.
    """

    slices: Slices
    manager: PassManager
    around: Mapping[str, str]


def slice_plan(source: SourcePart, shared: Shared, *, is_shared: bool) -> SlicePlan:
    """Return what is needed to look results up, in a store that other machines may share.

    Raises:
        NotKeptError: Results of this source are not kept, or it is not known what they depend on.
    """
    frontend, settings = shared.frontend, shared.settings
    if not isinstance(frontend, SlicesSources) or not isinstance(source.text, str):
        raise _refused(shared, "results are kept for xDSL's IR alone")
    others = sorted(settings.written.keys() - _ALLOWED)
    if settings.reports.mlir_timing_display == "ops":
        others.append("mlir-timing-display=ops")
    if others:
        raise _refused(shared, f"--{others[0]} concerns the run as a whole")
    tool = settings.tool
    if tool.setup is not None or tool.dialects or not hasattr(os, "fork"):
        raise NotKeptError("the tool does what a key does not hold")
    manager = manager_for_shards(shared, is_asked=True)
    if manager is None:
        raise NotKeptError("the pipeline is not of nested pipelines alone, or has effects")
    anchors_of(manager)
    plugins = [
        f"passel_plugin_{Path(each).stem}" if each.endswith(".py") else each
        for each in settings.pipeline.load_pass_plugin
    ]
    if len({*plugins}) < len(plugins):
        raise NotKeptError("two plugins have the same name")
    text = manager.to_text(all_options=True)
    key, has_code = key_of_run(manager, text, shared.adapter, plugins, is_shared=is_shared)
    places = has_code or settings.print_flags.debuginfo
    slices = frontend.slices(source, places=places)
    if slices is None:
        raise NotKeptError("the input has resources, dialects of others, or an unusual layout")
    flags = {
        f"--{name}": repr(words)
        for name, words in sorted(settings.written.items())
        if name not in _IN_KEY_OTHERWISE
    }
    around = {**key, **flags, "what is around the ops": repr(slices.around)}
    return SlicePlan(slices, manager, around)


def _refused(shared: Shared, reason: str) -> NotKeptError:
    """Return an error, and have a remark made of it where `--cache` was given."""
    if shared.settings.kept.cache:
        shared.reports.note_unkept(reason)
    return NotKeptError(reason)


def anchors_of(manager: PassManager) -> list[str]:
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
