"""One shard of a source, from text to text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.manager import OpPassManager
from passel.tool.part import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.diagnostics import Diagnostic
    from passel.ir.frontend import Frontend, SourcePart
    from passel.passes import Pass
    from passel.tool.part import Shared


class ShardResult(NamedTuple):
    """The result of a shard.

    Attributes:
        emitted: What it emits.
        unmatched: Nested pipelines that found no op to run on.
    """

    emitted: str | bytes
    unmatched: tuple[str, ...]


def process_shard(source: SourcePart, shared: Shared, shard: Frontend) -> ShardResult | None:
    """Return the result of a shard; None if there is a doubt.

    Args:
        source: The whole source.
        shared: What parts of an input share.
        shard: What reads and prints the shard.
    """
    here = replace(shared, jobs=1, cluster=None, progress=None, frontend=shard)
    part = Part(source, here, _doubt)
    try:
        result = part.process()
    except Exception:  # noqa: BLE001 - whatever it is, it happens again the plain way
        return None
    return None if result is None else ShardResult(result, part.unmatched)


def _doubt(diagnostic: Diagnostic) -> None:
    """Refuse what is to be said."""
    raise ValueError(diagnostic.message)


def passes_of(manager: OpPassManager) -> Iterator[Pass[Any, Any]]:
    """Yield the passes of a manager and of those nested in it, in order."""
    for entry in manager:
        if isinstance(entry, OpPassManager):
            yield from passes_of(entry)
        else:
            yield entry
