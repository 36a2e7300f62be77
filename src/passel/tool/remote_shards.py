"""From file to file on a Dask cluster: each worker runs the command line on shards of the source.

Workers read the source and the plugins themselves, where this process has them. Here as well, a
doubt ends it, and the source is processed the plain way, by which workers are sent ops.
"""

from __future__ import annotations

import gc
import hashlib
import io
import pickle
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, cast

from passel.diagnostics import brief, log_warning
from passel.execution.strategies.stopping import result_of
from passel.execution.strategies.versions import Versions
from passel.ir.frontend import CutsSources, SourcePart
from passel.passes.walking import walk
from passel.tool.shard import ShardResult, process_shard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.ir.frontend import Frontend
    from passel.manager import OpPassManager
    from passel.tool.cluster import Cluster
    from passel.tool.part import Shared


def results_on(
    cluster: Cluster,
    source: SourcePart,
    shared: Shared,
    manager: OpPassManager,
    shards: int,
    cuts: int,
) -> list[ShardResult] | None:
    """Return what the workers of a cluster make of shards; None if there is a doubt.

    Args:
        cluster: The cluster.
        source: The source.
        shared: What parts of an input share.
        manager: What runs on each shard.
        shards: How many shards there are.
        cuts: How many were asked for.
    """
    if source.path is None:
        return None  # which nobody else can read
    passes = (visit.pass_ for visit in walk(manager))
    settings = shared.settings
    try:
        job = pickle.dumps(
            _Job(
                Versions.here(shared.adapter, passes),
                partial(cluster.set_up, settings.words, settings.tool),
                str(Path.cwd()),
                source.path,
                _digest(source.text),
                cuts,
            )
        )
    except Exception:  # noqa: BLE001 - tools have what they like
        return None
    futures = [cluster.executor.submit(work_off_shard, job, index) for index in range(shards)]
    results: list[ShardResult] = []
    try:
        for future in futures:
            answer = pickle.loads(result_of(future))  # noqa: S301 - a worker's
            if isinstance(answer, str):
                log_warning(f"not from file to file on the cluster: {answer}")
            if not isinstance(answer, ShardResult):
                return None
            results.append(answer)
    except Exception as error:  # noqa: BLE001 - whatever becomes of workers
        log_warning(f"not from file to file on the cluster: {brief(error)}")
        return None
    finally:
        for future in futures[len(results) :]:
            future.cancel()
    return results


class _Job(NamedTuple):
    """The work that all shards have in common.

    Attributes:
        versions: Versions that the worker must have.
        set_up: Returns what parts of an input share.
        directory: The directory that relative paths start from.
        path: The file of the source.
        digest: The digest of its text.
        cuts: How many shards to cut it into.
    """

    versions: Versions
    set_up: Callable[[], Shared]
    directory: str
    path: str
    digest: bytes
    cuts: int


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


_one_at_a_time = Lock()
"""The standard streams and the directory are the process's, so that its threads take turns."""


def work_off_shard(job: bytes, index: int) -> bytes:
    """Process a shard as a worker of a cluster, which it leaves as it was.

    Returns:
        A pickled `ShardResult`; a reason in its place if this worker cannot do it, and None if
        there is a doubt.
    """
    with _one_at_a_time:
        said = io.StringIO()
        try:
            with redirect_stdout(said), redirect_stderr(said):
                answer = _worked_off(job, index)
        except Exception as error:  # noqa: BLE001 - it is told where it came from
            answer = f"a worker cannot do its part: {brief(error)}"
        finally:
            gc.unfreeze()  # the tool ends with its process, a worker does not
        return pickle.dumps(None if said.getvalue() else answer)


def _worked_off(job: bytes, index: int) -> ShardResult | str | None:
    set_up = _set_up(job)
    if isinstance(set_up, str):
        return set_up
    source, shared, shards = set_up
    return process_shard(source, shared, shards[index])


@lru_cache(maxsize=1)
def _set_up(pickled: bytes) -> tuple[SourcePart, Shared, Sequence[Frontend]] | str:
    """Return the source, the tool, and what reads shards; or why that cannot be had here."""
    job: _Job = pickle.loads(pickled)  # noqa: S301 - from who asks for it
    with chdir(job.directory):
        shared = job.set_up()
        try:
            text = Path(job.path).read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            return f"a worker cannot read '{job.path}': {brief(error)}"
    if difference := job.versions.difference_here(lambda: shared.adapter):
        return f"a worker refused its share: {difference}"
    if _digest(text) != job.digest:
        return f"'{job.path}' is another file where a worker is"
    source = SourcePart(text, job.path, path=job.path)
    return source, shared, cast("CutsSources", shared.frontend).cut(source, job.cuts)
