"""Results from forked workers that may print nothing."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from passel.errors import EncodingError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from passel.ir.frontend import Frontend

_F = TypeVar("_F", bound="Frontend")
_R = TypeVar("_R")


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
