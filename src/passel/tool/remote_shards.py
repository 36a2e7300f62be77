"""From file to file on the workers of a cluster, each of which processes shards of the source.

They read the source and the plugins themselves, by the paths of the command line. Here as well, a
shard that fails ends it, and the source is processed as a whole, with ops sent to the workers.
"""

from __future__ import annotations

import gc
import hashlib
import io
import pickle
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, cast

from passel.diagnostics import brief, log_warning
from passel.execution.strategies.stopping import result_of
from passel.execution.strategies.versions import Versions
from passel.ir.frontend import CutsSources, SourcePart
from passel.passes.walking import walk
from passel.tool.shard import ShardResult, process_shard
from passel.tool.shared import shared_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor, Future

    from passel.ir.frontend import Frontend
    from passel.manager import OpPassManager
    from passel.tool.definition import ToolDefinition
    from passel.tool.shared import Shared


class _Refusal(Exception):  # noqa: N818 - caught in this module
    """Reason why a worker refuses its shard; empty if passes have something to report."""


class _Job(NamedTuple):
    """The work that all shards have in common.

    Attributes:
        versions: Versions that the worker must have.
        words: The command line.
        tool: The tool.
        directory: The directory that relative paths start from.
        path: The file of the source.
        digest: The digest of its text.
        cuts: How many shards to cut it into.
    """

    versions: Versions
    words: Sequence[str]
    tool: ToolDefinition
    directory: str
    path: str
    digest: bytes
    cuts: int


def results_on(
    cluster: Executor,
    source: SourcePart,
    shared: Shared,
    manager: OpPassManager,
    shards: int,
    cuts: int,
) -> list[ShardResult] | None:
    """Return the results of shards from the workers of a cluster; None if one failed.

    Args:
        cluster: The workers.
        source: The source.
        shared: Services and settings of all parts of the input.
        manager: The manager that runs on each shard.
        shards: How many shards there are.
        cuts: How many were asked for.
    """
    if source.path is None:
        return None  # workers cannot read it
    versions = Versions.here(shared.adapter, (visit.pass_ for visit in walk(manager)))
    words, tool = shared.settings.words, shared.settings.tool
    digest = _digest(source.text)
    job = _Job(versions, words, tool, str(Path.cwd()), source.path, digest, cuts)
    futures: list[Future[bytes]] = []
    try:
        pickled = pickle.dumps(job)
        futures += [cluster.submit(work_off_shard, pickled, index) for index in range(shards)]
        return [_answer(future) for future in futures]
    except Exception as error:  # noqa: BLE001 - of workers, or of a tool that cannot be sent
        if reason := brief(error) if not isinstance(error, _Refusal) else str(error):
            log_warning(f"not from file to file on the cluster: {reason}")
        return None
    finally:
        for future in futures:
            future.cancel()


def _answer(future: Future[bytes]) -> ShardResult:
    answer = pickle.loads(result_of(future))  # noqa: S301 - a worker's
    if isinstance(answer, ShardResult):
        return answer
    raise _Refusal(answer)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


_one_at_a_time = Lock()
"""The standard streams and the directory are the process's, so that its threads take turns."""


def work_off_shard(job: bytes, index: int) -> bytes:
    """Process a shard as a worker of a cluster, which it leaves as it was.

    Returns:
        A pickled `ShardResult`; in its place the reason if this worker cannot do it, which is
        empty if the passes have something to report.
    """
    answer: ShardResult | str
    with _one_at_a_time:
        said = io.StringIO()
        try:
            with redirect_stdout(said), redirect_stderr(said):
                source, shared, shards = _set_up(job)
                answer = process_shard(source, shared, shards[index]) or ""
        except _Refusal as refusal:
            answer = str(refusal)
        except Exception as error:  # noqa: BLE001 - whatever the worker lacks
            answer = f"a worker cannot do its part: {brief(error)}"
        finally:
            gc.unfreeze()  # the tool ends with its process, a worker does not
        return pickle.dumps("" if said.getvalue() else answer)


@lru_cache(maxsize=1)
def _set_up(pickled: bytes) -> tuple[SourcePart, Shared, Sequence[Frontend]]:
    """Return the source, what its parts share, and the frontends of shards.

    Raises:
        _Refusal: This worker has other versions, or another file.
    """
    job: _Job = pickle.loads(pickled)  # noqa: S301 - from who asks for it
    with chdir(job.directory):
        shared = shared_for(job.words, job.tool)
        try:
            text = Path(job.path).read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            raise _Refusal(f"a worker cannot read '{job.path}': {brief(error)}") from None
    if difference := job.versions.difference_here(lambda: shared.adapter):
        raise _Refusal(f"a worker refused its share: {difference}")
    if _digest(text) != job.digest:
        raise _Refusal(f"'{job.path}' is another file where a worker is")
    source = SourcePart(text, job.path, path=job.path)
    return source, shared, cast("CutsSources", shared.frontend).cut(source, job.cuts)
