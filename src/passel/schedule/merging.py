"""Merging: from a tree of managers to a pipeline, in which adjacent nested pipelines are one.

Merging also gives each pass its path. It checks nothing, and works without an IR.

Source: `OpPassManagerImpl::finalizePassList` and `OpToOpPassAdaptor::tryMergeInto`, MLIR 22;
there `run` does this to the manager itself.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.ir import ANY
from passel.passes.op_pass_manager import OpPassManager
from passel.schedule.model import NestedStep, PassStep, Pipeline, any_accepts

if TYPE_CHECKING:
    from passel.diagnostics import Span
    from passel.ir import IRAdapter
    from passel.schedule.model import Step


def merged(
    tree: OpPassManager,
    outer: str = "",
    span: Span | None = None,
    *,
    adapter: IRAdapter | None = None,
    context: Any = None,
) -> Pipeline:
    """Return the pipeline of a tree, without changing the tree.

    Args:
        tree: A pass manager.
        outer: The path under which it runs, if it is nested.
        span: The place of the pass that runs it.
        adapter: The adapter of the IR. Without it, an `any` pipeline is never merged, since it
            may match every op.
        context: The IR's context.
    """
    merger = _Merger(adapter, context)
    return merger.pipeline(merger.nest(tree, outer, span))


class _Nest(NamedTuple):
    """A manager, or adjacent ones for the same ops.

    Attributes:
        anchor: The name of the ops, or `any`.
        entries: The passes and managers directly in it, in order.
        path: The anchors, outermost first.
        jobs: The largest number of ops at once; None for no limit.
        spans: The places of the managers.
    """

    anchor: str
    entries: tuple[PassStep | _Nest, ...]
    path: str
    jobs: int | None
    spans: tuple[Span | None, ...]

    def joined(self, other: _Nest) -> _Nest:
        """Return both as one, with the lower of their limits."""
        limits = [jobs for jobs in (self.jobs, other.jobs) if jobs is not None]
        return self._replace(
            entries=self.entries + other.entries,
            jobs=min(limits, default=None),
            spans=self.spans + other.spans,
        )


class _Merger:
    """Merges the pipelines of one tree."""

    def __init__(self, adapter: IRAdapter | None, context: Any) -> None:
        self._adapter = adapter
        self._context = context
        self._numbers: Counter[str] = Counter()

    def nest(self, tree: OpPassManager, outer: str, span: Span | None) -> _Nest:
        """Return the contents of a manager, with the paths of its passes."""
        path = f"{outer}/{tree.anchor}" if outer else tree.anchor
        entries: list[PassStep | _Nest] = []
        for item, place in tree.placed():
            if isinstance(item, OpPassManager):
                entries.append(self.nest(item, path, place or span))
                continue
            name = f"{path}/{self._numbers[path]}:{item.name or item.display_name}"
            entries.append(PassStep(item, name, self._numbers.total(), place or span))
            self._numbers[path] += 1
        return _Nest(tree.anchor, tuple(entries), path, tree.jobs, (span,))

    def pipeline(self, nest: _Nest) -> Pipeline:
        """Return a pipeline in which adjacent nested pipelines are merged where they may be."""
        steps: list[Step] = []
        group: dict[str, _Nest] = {}
        for entry in (*nest.entries, None):
            inner = entry if isinstance(entry, _Nest) else None
            if group and (inner is None or self._conflicts(group, inner)):
                nested = tuple(map(self.pipeline, sorted(group.values(), key=_rank)))
                steps.append(NestedStep(nested, nest.path))
                group = {}
            if inner is not None:
                known = group.get(inner.anchor)
                group[inner.anchor] = inner if known is None else known.joined(inner)
            elif isinstance(entry, PassStep):
                steps.append(entry)
        return Pipeline(nest.anchor, tuple(steps), nest.path, nest.jobs, nest.spans)

    def _conflicts(self, group: dict[str, _Nest], inner: _Nest) -> bool:
        """Return whether `any` and a named anchor could both match an op."""
        catch_all = group.get(ANY)
        if inner.anchor == ANY:
            others = group.values()
            return catch_all is not None or any(self._overlaps(inner, each) for each in others)
        return catch_all is not None and self._overlaps(catch_all, inner)

    def _overlaps(self, catch_all: _Nest, other: _Nest) -> bool:
        if self._adapter is None:
            return True
        kind = self._adapter.kind_named(self._context, other.anchor)
        passes = (each for each in catch_all.entries if isinstance(each, PassStep))
        return kind is not None and any_accepts(passes, kind)


def _rank(nest: _Nest) -> tuple[bool, bytes]:
    return nest.anchor == ANY, nest.anchor.encode(errors="surrogatepass")
