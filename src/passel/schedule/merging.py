"""Merging of adjacent nested pipelines, which also assigns the paths of passes.

Merging performs no checks and does not need an IR.

Source: `OpPassManagerImpl::finalizePassList` and `OpToOpPassAdaptor::tryMergeInto`, MLIR 22. In
MLIR, `run` merges the pipelines of the manager itself.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from passel.ir import ANY
from passel.passes.op_pass_manager import OpPassManager
from passel.schedule.model import NestedStep, PassStep, Pipeline

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """Return the merged pipeline of a pass manager without changing the manager.

    Args:
        tree: The pass manager whose pipeline is merged.
        outer: The path of the enclosing pass; an empty string at the top level.
        span: The place of the enclosing pass in a text; None if unknown.
        adapter: The adapter of the IR. Without an adapter, an `any` pipeline may match every op and
            is never merged.
        context: The context of the IR.
    """
    merger = _Merger(adapter, context)
    return merger.merge([merger.pipeline(tree, outer, span)])


class _Merger:
    """A merger of the pipelines in one tree."""

    def __init__(self, adapter: IRAdapter | None, context: Any) -> None:
        self._adapter = adapter
        self._context = context
        self._numbers: Counter[str] = Counter()

    def pipeline(self, tree: OpPassManager, outer: str, span: Span | None) -> Pipeline:
        """Return the unmerged pipeline of a manager."""
        path = f"{outer}/{tree.anchor}" if outer else tree.anchor
        steps: list[Step] = []
        for item, place in tree.placed():
            if isinstance(item, OpPassManager):
                steps.append(NestedStep((self.pipeline(item, path, place or span),), path))
                continue
            name = f"{path}/{self._numbers[path]}:{item.short_name}"
            steps.append(PassStep(item, name, self._numbers.total(), place or span))
            self._numbers[path] += 1
        return Pipeline(tree.anchor, tuple(steps), path, tree.jobs, (span,))

    def merge(self, parts: Sequence[Pipeline]) -> Pipeline:
        """Merge pipelines on the same ops, and their nested pipelines, into one pipeline."""
        first = parts[0]
        steps: list[Step] = []
        group: dict[str, list[Pipeline]] = {}
        for step in (*(step for part in parts for step in part.steps), None):
            (inner,) = step.pipelines if isinstance(step, NestedStep) else (None,)
            if group and (inner is None or not self._fits(inner, group)):
                nested = map(self.merge, sorted(group.values(), key=_rank))
                steps.append(NestedStep(tuple(nested), first.path))
                group = {}
            if inner is not None:
                group.setdefault(inner.anchor, []).append(inner)
            elif isinstance(step, PassStep):
                steps.append(step)
        limits = [part.jobs for part in parts if part.jobs is not None]
        spans = tuple(part.spans[0] for part in parts)
        return Pipeline(first.anchor, tuple(steps), first.path, min(limits, default=None), spans)

    def _fits(self, inner: Pipeline, group: dict[str, list[Pipeline]]) -> bool:
        """Return whether no op can match both `any` and another anchor of a group."""
        if inner.anchor == ANY:
            return not any(self._overlap(inner, parts[0]) for parts in group.values())
        return ANY not in group or not self._overlap(group[ANY][0], inner)

    def _overlap(self, catch_all: Pipeline, other: Pipeline) -> bool:
        if self._adapter is None or other.anchor == ANY:
            return True
        kind = self._adapter.kind_named(self._context, other.anchor)
        return kind is not None and catch_all.accepts(kind)


def _rank(parts: list[Pipeline]) -> tuple[bool, bytes]:
    anchor = parts[0].anchor
    return anchor == ANY, anchor.encode(errors="surrogatepass")
