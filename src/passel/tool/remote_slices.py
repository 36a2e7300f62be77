"""Slices of a source on the workers of a cluster. Their results are kept by the run that asks.

Each worker begins a new process for its share: it lives long, and what it has imported may not be
what the files hold now that keys are made of.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import brief, log_warning
from passel.execution.strategies.stopping import result_of
from passel.store import NotKeptError
from passel.tool.sharding import forked_results
from passel.tool.shared import shared_for
from passel.tool.slice_plan import slice_plan
from passel.tool.slices import process_slices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Executor, Future

    from passel.ir.frontend import SourcePart
    from passel.tool.definition import ToolDefinition
    from passel.tool.shared import Shared
    from passel.tool.slices import SliceResults


class _Job(NamedTuple):
    """The work of one process.

    Attributes:
        words: The command line.
        tool: The tool.
        source: The whole source.
        around: What all keys have in common, as in stores that machines share.
        indices: The slices.
    """

    words: Sequence[str]
    tool: ToolDefinition
    source: SourcePart
    around: Mapping[str, str]
    indices: Sequence[int]


def results_on(
    cluster: Executor, source: SourcePart, shared: Shared, chunks: Sequence[Sequence[int]]
) -> list[SliceResults] | None:
    """Return the results of chunks of slices from workers of a cluster; None if one has none.

    Raises:
        NotKeptError: A worker refuses, as one does whose key is another.
    """
    around = slice_plan(source, shared, is_shared=True).around
    words, tool = shared.settings.words, shared.settings.tool
    futures: list[Future[bytes]] = []
    answers: list[Any] = []
    try:
        for each in chunks:
            job = zlib.compress(pickle.dumps(_Job(words, tool, source, around, each)), 1)
            futures.append(cluster.submit(work_off_slices, job, str(Path.cwd())))
        answers = [pickle.loads(result_of(future)) for future in futures]  # noqa: S301 - of workers
    except Exception as error:  # noqa: BLE001 - of workers, or of a tool that cannot be sent
        answers = [brief(error)]
    finally:
        for future in futures:
            future.cancel()
    for answer in answers:
        if isinstance(answer, str):
            reason = f"a worker of the cluster refused its share: {answer}"
            log_warning(f"no results are kept: {reason}")
            raise NotKeptError(reason)
    return None if None in answers else answers


def work_off_slices(job: bytes, directory: str) -> bytes:
    """Process slices as a worker of a cluster, in a new process.

    Returns:
        Pickled `SliceResults`; a string if the worker refuses, None if the run fails.
    """
    code = f"from {__name__} import main; main()"
    command = [sys.executable, "-P", "-c", code]  # which imports nothing from the directory
    ended = subprocess.run(command, input=job, cwd=directory, capture_output=True, check=False)  # noqa: S603 - this module
    if ended.returncode:
        *_, said = ended.stderr.decode(errors="replace").splitlines() or ["its process has died"]
        return pickle.dumps(said)
    return ended.stdout


def main() -> None:
    """Process the slices of a job that stands on the standard input."""
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)  # what plugins print when they are imported
        job = pickle.loads(zlib.decompress(sys.stdin.buffer.read()))  # noqa: S301 - from the worker
        output.write(pickle.dumps(_answer(job)))


def _answer(job: _Job) -> SliceResults | str | None:
    try:
        shared = shared_for(job.words, job.tool)
        plan = slice_plan(job.source, shared, is_shared=True)
    except NotKeptError as error:
        return str(error)
    names = {**job.around, **plan.around}
    if others := [each for each in names if job.around.get(each) != plan.around.get(each)]:
        return f"not the same there: {', '.join(others)}"
    process = partial(process_slices, job.source, shared)
    found = forked_results(1, process, [plan.slices.frontend(job.indices)])
    return found[0] if found else None
