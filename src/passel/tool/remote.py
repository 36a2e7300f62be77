"""Shares of a source that workers of a cluster process: some of its shards or of its slices.

A worker lives long, and what it has imported may not be what the files hold now, so it begins a new
process for each share. The source comes with the share; plugins are read where the worker is.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from passel.diagnostics import brief
from passel.execution.strategies.stopping import result_of
from passel.execution.strategies.versions import Versions
from passel.passes.walking import walk
from passel.store import NotKeptError
from passel.tool.forks import forked_results
from passel.tool.shard import process_shard
from passel.tool.shared import shared_for
from passel.tool.slice_plan import slice_plan
from passel.tool.slices import process_slices

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from concurrent.futures import Executor, Future

    from passel.ir.frontend import CutsSources, SourcePart
    from passel.manager import OpPassManager
    from passel.tool.definition import ToolDefinition
    from passel.tool.shard import ShardResult
    from passel.tool.shared import Shared
    from passel.tool.slices import SliceResults


class RefusedError(Exception):
    """A worker does not process its share: it has other versions, or has died."""


class _Run(NamedTuple):
    """The run that a share is of.

    Attributes:
        words: The command line.
        tool: The tool.
        source: The whole source.
    """

    words: Sequence[str]
    tool: ToolDefinition
    source: SourcePart

    @classmethod
    def of(cls, source: SourcePart, shared: Shared) -> _Run:
        """Return the run of a source."""
        return cls(shared.settings.words, shared.settings.tool, source)


class _Share(Protocol):
    """The work of one process."""

    def results(self) -> Any:
        """Return the results; None if the run fails, or has something to report.

        Raises:
            RefusedError: This process is not as the share needs it.
        """


class _OfShards(NamedTuple):
    """One of the shards of a source.

    Attributes:
        run: The run.
        versions: The versions of what runs.
        cuts: How many shards were asked for.
        number: Which one this is, from 0.
    """

    run: _Run
    versions: Versions
    cuts: int
    number: int

    def results(self) -> ShardResult | None:
        """Return the result of the shard."""
        source = self.run.source
        shared = shared_for(self.run.words, self.run.tool)
        if difference := self.versions.difference_here(lambda: shared.adapter):
            raise RefusedError(difference)
        shards = cast("CutsSources", shared.frontend).cut(source, self.cuts)
        process = partial(process_shard, source, shared, bool(self.versions.modules))
        found = forked_results(1, process, [shards[self.number]])
        return found[0] if found else None


class _OfSlices(NamedTuple):
    """Some of the slices of a source, whose results are kept by the run that asks.

    Attributes:
        run: The run.
        around: What all keys have in common, as in stores that machines share.
        indices: The slices.
    """

    run: _Run
    around: Mapping[str, str]
    indices: Sequence[int]

    def results(self) -> SliceResults | None:
        """Return the results of the slices."""
        source = self.run.source
        shared = shared_for(self.run.words, self.run.tool)
        try:
            plan = slice_plan(source, shared, is_shared=True)
        except NotKeptError as error:
            raise RefusedError(str(error)) from None
        names = {**self.around, **plan.around}
        if others := [each for each in names if self.around.get(each) != plan.around.get(each)]:
            raise RefusedError(f"not the same there: {', '.join(others)}")
        process = partial(process_slices, source, shared)
        found = forked_results(1, process, [plan.slices.frontend(self.indices)])
        return found[0] if found else None


def shard_results(
    cluster: Executor,
    source: SourcePart,
    shared: Shared,
    manager: OpPassManager,
    shards: int,
    cuts: int,
) -> list[ShardResult] | None:
    """Return the results of shards; None if one has none.

    Args:
        cluster: The workers.
        source: The source.
        shared: Services and settings of all parts of the input.
        manager: The manager that runs on each shard.
        shards: How many shards there are.
        cuts: How many were asked for.

    Raises:
        RefusedError: A worker does not process its share.
    """
    run = _Run.of(source, shared)
    versions = Versions.here(shared.adapter, (visit.pass_ for visit in walk(manager)))
    return _results(cluster, (_OfShards(run, versions, cuts, n) for n in range(shards)))


def slice_results(
    cluster: Executor, source: SourcePart, shared: Shared, chunks: Sequence[Sequence[int]]
) -> list[SliceResults] | None:
    """Return the results of chunks of slices; None if one has none.

    Raises:
        RefusedError: A worker does not process its share, perhaps because its key would be another.
    """
    run, around = _Run.of(source, shared), slice_plan(source, shared, is_shared=True).around
    return _results(cluster, (_OfSlices(run, around, each) for each in chunks))


def _results(cluster: Executor, shares: Iterable[_Share]) -> list[Any] | None:
    futures: list[Future[bytes]] = []
    try:
        for share in shares:
            packed = zlib.compress(pickle.dumps(share), 1)
            futures.append(cluster.submit(work_off, packed, str(Path.cwd())))
        found = [pickle.loads(result_of(future)) for future in futures]  # noqa: S301 - of workers
    except Exception as error:  # noqa: BLE001 - of workers, or of a tool that cannot be sent
        found = [RefusedError(brief(error))]
    finally:
        for future in futures:
            future.cancel()
    for each in found:
        if isinstance(each, RefusedError):
            raise RefusedError(f"a worker of the cluster refused its share: {each}")
    return None if None in found else found


def work_off(share: bytes, directory: str) -> bytes:
    """Process a share as a worker of a cluster, in a new process.

    Returns:
        The results, pickled; in their place the `RefusedError`, if the worker refuses.
    """
    code = f"from {__name__} import main; main()"
    command = [sys.executable, "-P", "-c", code]  # which imports nothing from the directory
    ended = subprocess.run(command, input=share, cwd=directory, capture_output=True, check=False)  # noqa: S603 - this module
    if ended.returncode:
        *_, said = ended.stderr.decode(errors="replace").splitlines() or ["its process has died"]
        return pickle.dumps(RefusedError(said))
    return ended.stdout


def main() -> None:
    """Process a share that stands on the standard input."""
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)  # what plugins print when they are imported
        share: _Share = pickle.loads(zlib.decompress(sys.stdin.buffer.read()))  # noqa: S301 - from the worker
        try:
            results = share.results()
        except RefusedError as error:
            results = error
        output.write(pickle.dumps(results))
