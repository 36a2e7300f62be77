"""One shard of a source, from text to text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from passel.tool.part import Part
from passel.tool.slices import SliceObserver, SliceReports

if TYPE_CHECKING:
    from passel.diagnostics import Diagnostic
    from passel.ir.frontend import SliceFrontend, SourcePart
    from passel.tool.shared import Shared


class ShardResult(NamedTuple):
    """The result of a shard.

    Attributes:
        emitted: Its text or bytes, as its frontend emits them.
        unmatched: Nested pipelines that found no op to run on.
    """

    emitted: str | bytes
    unmatched: tuple[str, ...]


def process_shard(
    source: SourcePart, shared: Shared, holds: bool, shard: SliceFrontend
) -> ShardResult | None:
    """Return the result of a shard; None if it fails, or has something to report.

    Args:
        source: The whole source.
        shared: Services and settings of all parts of the input.
        holds: Whether passes are held to their ops: one that looks at others is a failure.
        shard: The frontend that reads and prints the shard.
    """
    here = replace(shared, jobs=1, cluster=None, progress=None, frontend=shard)
    shard.guards = holds
    observer = SliceObserver(shard, counts=False)
    if holds:
        reports = SliceReports(shared.settings, observer)
        shared.reports.part = lambda: reports  # of this process, which does nothing else
    part = Part(source, here, _refuse)
    try:
        result = part.process()
    except Exception:  # noqa: BLE001 - it is raised again when the whole is processed
        return None
    if result is None or observer.refusal:
        return None
    return ShardResult(result, part.unmatched)


def _refuse(diagnostic: Diagnostic) -> None:
    """Refuse a diagnostic."""
    raise ValueError(diagnostic.message)
