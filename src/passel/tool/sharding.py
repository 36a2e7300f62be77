"""From file to file in several processes, each of which parses, runs and prints shards.

A shard that fails, or has anything to report, ends it: all results are dropped, and the source is
processed as a whole, which reports it.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from passel.errors import EncodingError, PasselError
from passel.execution.strategies import processors
from passel.ir.frontend import CutsSources, SourcePart, UnreadableError
from passel.manager import OpPassManager
from passel.passes.walking import walk
from passel.tool.shard import process_shard

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from passel.diagnostics import Diagnostic
    from passel.ir.frontend import Frontend
    from passel.manager import PassManager
    from passel.tool.shared import Shared

_F = TypeVar("_F", bound="Frontend")
_R = TypeVar("_R")

_PER_WORKER = 4
"""Shards for each worker: more balance better, fewer cost less."""

_SMALLEST = 10_000
"""Characters for which it pays to begin a shard."""

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


def process_in_shards(source: SourcePart, shared: Shared) -> str | bytes | None:
    """Return the result of a source as it is written.

    Args:
        source: The source, all of the input, which is large enough to gain from it.
        shared: Services and settings of all parts of the input.

    Returns:
        The result; None if the source is to be processed as a whole.
    """
    frontend, cluster = shared.frontend, shared.cluster
    is_asked = cluster is not None or shared.jobs != "auto"
    jobs = workers_of_run(shared)
    if (
        jobs < 2  # noqa: PLR2004 - one process needs no shards
        or not isinstance(frontend, CutsSources)
        or not isinstance(source.text, str)
        or not SAME_FOR_SHARDS.issuperset(shared.settings.written)
        or (manager := manager_for_shards(shared, is_asked=is_asked)) is None
    ):
        return None
    count = min(jobs * _PER_WORKER, len(source.text) // _SMALLEST)
    shards = frontend.cut(source, count)
    if len(shards) < 2:  # noqa: PLR2004 - one shard is the whole
        return None
    if cluster is None:
        results = forked_results(jobs, partial(process_shard, source, shared), shards)
    else:
        from passel.tool.remote_shards import results_on

        results = results_on(cluster, source, shared, manager, len(shards), count)
    if results is None:
        return None
    for each in results:
        shared.reports.note_unmatched(each.unmatched)
    return frontend.join([each.emitted for each in results])


def workers_of_run(shared: Shared) -> int:
    """Return how many processes there may be."""
    if shared.jobs != "auto":
        return shared.jobs
    if shared.cluster is None:
        return processors()
    from passel.execution.strategies.futures import workers_of

    return workers_of(shared.cluster)


def forked_results(
    jobs: int, process: Callable[[_F], _R | None], shards: Sequence[_F]
) -> list[_R] | None:
    """Return the results of shards from forked workers; None if one of them has none, or prints."""
    from passel.execution.strategies.base import workers_for
    from passel.execution.strategies.fork_map import fork_map
    from passel.execution.strategies.placement import at_work
    from passel.execution.streams import flush, standard_streams

    if at_work.get():
        return None

    @contextmanager
    def body() -> Generator[Callable[[_F], Iterator[_R]]]:
        with _standard_streams_to_file() as said:
            streams = standard_streams()

            def do(shard: _F) -> Iterator[_R]:
                result = process(shard)
                flush()
                if result is None or standard_streams() != streams or os.fstat(said).st_size:
                    raise EncodingError("a shard has printed something")
                yield result

            yield do

    found = fork_map(body, shards, workers_for(jobs), all_or_nothing=True).results
    return [found[n][0] for n in range(len(shards))] if len(found) == len(shards) else None


@contextmanager
def _standard_streams_to_file() -> Generator[int]:
    """Redirect what this process writes to its standard streams, for good, and yield the file."""
    import tempfile

    with tempfile.TemporaryFile() as file:
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
        sys.stdout = sys.stderr = io.TextIOWrapper(file, encoding="utf-8", write_through=True)
        yield file.fileno()


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
