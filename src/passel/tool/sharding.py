"""From file to file in several processes, each of which parses, runs and prints shards.

A shard that fails, or has anything to report, ends it: all results are dropped, and the source is
processed as a whole, which reports it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from passel.diagnostics import log_warning
from passel.execution.strategies.versions import Versions
from passel.ir.frontend import CutsSources
from passel.passes.walking import walk
from passel.tool.cutting import (
    SAME_FOR_SHARDS,
    manager_for_shards,
    workers_of_run,
    worthwhile_parts,
)
from passel.tool.forks import forked_results
from passel.tool.shard import process_shard

if TYPE_CHECKING:
    from passel.ir.frontend import SourcePart
    from passel.tool.shared import Shared


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
    count = worthwhile_parts(shared, jobs, len(source.text))
    shards = frontend.cut(source, count)
    if len(shards) < 2:  # noqa: PLR2004 - one shard is the whole
        return None
    if cluster is None:
        # Passes of xDSL and passel are known to look at nothing else.
        passes = (visit.pass_ for visit in walk(manager))
        holds = bool(Versions.here(shared.adapter, passes).modules)
        results = forked_results(jobs, partial(process_shard, source, shared, holds), shards)
    else:
        from passel.tool.remote import RefusedError, shard_results

        try:
            results = shard_results(cluster, source, shared, manager, len(shards), count)
        except RefusedError as error:
            log_warning(f"not from file to file on the cluster: {error}")
            return None
    if results is None:
        return None
    for each in results:
        shared.reports.note_unmatched(each.unmatched)
    return frontend.join([each.emitted for each in results])
