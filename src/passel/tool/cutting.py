"""Whether a source can be cut into parts that are processed by themselves, and into how many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.errors import PasselError
from passel.execution.strategies import processors
from passel.ir.frontend import SourcePart, UnreadableError
from passel.manager import OpPassManager
from passel.passes.walking import walk

if TYPE_CHECKING:
    from passel.diagnostics import Diagnostic
    from passel.manager import PassManager
    from passel.tool.shared import Shared

_PER_WORKER = 4
"""Shards for each worker: more balance better, fewer cost less."""

_PER_FORK = 10_000
"""Characters for which it pays to fork another process."""

_PER_REMOTE = 100_000
"""Characters for which it pays to begin another process on a worker of a cluster."""

SAME_FOR_SHARDS = frozenset(
    {
        "Wno-contracts",
        "Wno-unmatched-nest",
        "allow-unregistered-dialect",
        "cache",
        "cache-explain",
        "cluster",
        "compat",
        "disable-verify",
        "ir",
        "jobs",
        "load-pass-plugin",
        "mlir-disable-diagnostic-notes",
        "mlir-elide-elementsattrs-if-larger",
        "mlir-print-debuginfo",
        "mlir-print-local-scope",
        "mlir-print-op-generic",
        "mlir-print-op-on-diagnostic",
        "mlir-print-stacktrace-on-diagnostic",
        "no-fast-paths",
        "o",
        "pass-pipeline",
        "pipeline-variable",
        "print-no-properties",
        "target",
        "verify-each",
    }
)
"""Flags that mean the same for a shard as for the whole."""


def manager_for_shards(shared: Shared, *, is_asked: bool) -> PassManager | None:
    """Return the manager, if its passes run on ops at the top and can be run again."""
    try:
        context = shared.frontend.new_context()
        empty = shared.frontend.parse(SourcePart("", "<none>"), context, _ignore)
        kind = shared.adapter.kind_of(empty.op)
        manager = shared.pipelines.make(kind, context, shared.adapter)
    except (PasselError, UnreadableError):
        return None  # reported when the source is processed as a whole
    is_nested = all(isinstance(each, OpPassManager) and each.jobs is None for each in manager)
    return manager if is_nested and _can_leave(manager, is_asked) else None


def _can_leave(manager: OpPassManager, is_asked: bool) -> bool:
    """Return whether passes change nothing but the IR; if not asked for, each has to declare it."""
    for pass_, *_ in walk(manager):
        contract = pass_.contract
        if not contract.can_fork or not (is_asked or contract.is_automatic):
            return False
        if pass_.own_effects():
            return False
    return True


def _ignore(_: Diagnostic) -> None:
    pass


def worthwhile_parts(shared: Shared, jobs: int, size: int) -> int:
    """Return into how many parts it pays to cut text of a size, each for a process of its own."""
    if shared.cluster is None:
        return min(jobs * _PER_WORKER, size // _PER_FORK)
    return min(jobs, size // _PER_REMOTE)


def workers_of_run(shared: Shared) -> int:
    """Return how many processes there may be."""
    if shared.jobs != "auto":
        return shared.jobs or 1
    if shared.cluster is None:
        return processors()
    from passel.execution.strategies.futures import workers_of

    return workers_of(shared.cluster)
