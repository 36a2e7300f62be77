"""From file to file in several processes, each of which parses, runs and prints shards.

Any doubt ends it: what was done is forgotten, and the source is processed the plain way, which
says what there is to say. So shards only ever succeed in silence.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from passel.errors import PasselError
from passel.execution.outcome import UNCHANGED
from passel.execution.strategies import processors
from passel.ir.frontend import CutsSources, SourcePart, UnreadableError
from passel.manager import OpPassManager
from passel.passes.effects_guard import effects_of, passes_held
from passel.tool.shard import ShardResult, passes_of, process_shard

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from passel.diagnostics import Diagnostic
    from passel.execution import Outcome
    from passel.execution.strategies.base import Branch
    from passel.ir.frontend import Frontend
    from passel.manager import PassManager
    from passel.tool.part import Shared

_PER_WORKER = 4
"""Shards for each worker: more balance better, fewer cost less."""

_SMALLEST = 10_000
"""Characters for which it pays to begin a shard."""

_FLAGS = frozenset(
    {
        "Wno-unmatched-nest",
        "allow-unregistered-dialect",
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
        shared: What parts of an input share.

    Returns:
        The result; None if the source is to be processed the plain way.
    """
    frontend, cluster = shared.frontend, shared.cluster
    is_asked = cluster is not None or shared.jobs != "auto"
    jobs = _workers(shared)
    if (
        jobs < 2  # noqa: PLR2004 - one process is the plain way
        or not isinstance(frontend, CutsSources)
        or not isinstance(source.text, str)
        or not _FLAGS.issuperset(shared.settings.written)
        or (manager := _manager_for_shards(shared, is_asked=is_asked)) is None
    ):
        return None
    count = min(jobs * _PER_WORKER, len(source.text) // _SMALLEST)
    shards = frontend.cut(source, count)
    if len(shards) < 2:  # noqa: PLR2004 - the same
        return None
    if cluster is None:
        results = _forked(jobs, source, shared, shards)
    else:
        from passel.tool.remote_shards import results_on

        results = results_on(cluster, source, shared, manager, len(shards), count)
    if results is None:
        return None
    for each in results:
        shared.reports.note_unmatched(each.unmatched)
    return frontend.join([each.emitted for each in results])


def _workers(shared: Shared) -> int:
    if shared.jobs != "auto":
        return shared.jobs
    return processors() if shared.cluster is None else shared.cluster.workers


def _forked(
    jobs: int, source: SourcePart, shared: Shared, shards: Sequence[Frontend]
) -> list[ShardResult] | None:
    """Return what copies of this process make of shards; None if there is a doubt."""
    from passel.execution.strategies.forked import Forked

    work = _ShardWork(source, shared)
    for _ in Forked(jobs, eager=True)(work, shards):
        pass
    return work.results


def _manager_for_shards(shared: Shared, *, is_asked: bool) -> PassManager | None:
    """Return what runs the passes, if it is about ops at the top, and they can be run twice."""
    try:
        context = shared.frontend.new_context()
        empty = shared.frontend.parse(SourcePart("", "<none>"), context, _ignore)
        kind = shared.adapter.kind_of(empty.op)
        manager = shared.pipelines.make(kind, context, shared.adapter)
    except (PasselError, UnreadableError):
        return None  # to be said the plain way
    is_nested = all(isinstance(each, OpPassManager) and each.jobs is None for each in manager)
    return manager if is_nested and _can_leave(manager, is_asked) else None


def _can_leave(manager: OpPassManager, is_asked: bool) -> bool:
    """Return whether passes leave no traces but in the IR, and say so if nobody has asked."""
    return not any(effects_of(each) for each in passes_of(manager)) and all(
        held.can_fork and (is_asked or held.forks_unasked())
        for each in passes_of(manager)
        for held in passes_held(each)
    )


def _ignore(_: Diagnostic) -> None:
    pass


class _ShardWork:
    """Shards as work for a strategy.

    Attributes:
        results: What the shards emit, in order; None if there is a doubt.
    """

    can_leave = True
    held_by = ""
    can_thread = False
    ships_ops = False
    can_ship = False
    is_trusted = False
    may_stay = False
    timeout = None
    jobs = None

    def __init__(self, source: SourcePart, shared: Shared) -> None:
        from mmap import mmap

        self._source = source
        self._shared = shared
        self._is_apart = False
        self._doubts = mmap(-1, 1)  # shared by all processes
        self.results: list[ShardResult] | None = []

    def __call__(self, shard: Frontend, /) -> Outcome:
        """Process a shard; not in the process of the tool, where it could leave traces."""
        self._result = None
        if not self._is_apart:
            self.results = None
        elif not self._doubts[0]:
            self._result = self._process(shard)
            self._doubts[0] = self._result is None
        return UNCHANGED

    def _process(self, shard: Frontend) -> ShardResult | None:
        result = process_shard(self._source, self._shared, shard)
        sys.stdout.flush()
        sys.stderr.flush()
        return None if os.fstat(self._said.fileno()).st_size else result

    def branch(self) -> Branch:
        """Refuse threads, which would share what is written to the standard streams."""
        raise NotImplementedError

    @contextmanager
    def observed(self) -> Generator[None]:
        """Observe nothing."""
        yield

    def merge(self, observers: None, /) -> None:
        """Merge nothing."""

    def start_apart(self) -> None:
        """Redirect what is written to the standard streams: it is a doubt as well."""
        import tempfile

        self._is_apart = True
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        for descriptor in (1, 2):
            os.dup2(self._said.fileno(), descriptor)
        stream = io.TextIOWrapper(self._said, encoding="utf-8", write_through=True)
        sys.stdout = sys.stderr = stream

    def note(self, shard: Frontend, /) -> None:
        """Note nothing."""

    def pack(self, shard: Frontend, outcome: Outcome, noted: None, /) -> ShardResult | None:
        """Return what the shard has given."""
        return self._result

    def is_as_known(self, shard: Frontend, /) -> bool:
        """Return true: a shard is a part of the source."""
        return True

    def unpack(self, shard: Frontend, packed: ShardResult | None, /) -> None:
        """Take over what a shard has given."""
        if packed is None:
            self.results = None
        elif self.results is not None:
            self.results.append(packed)

    def is_sound(self) -> bool:
        """Return True: doubts are told otherwise."""
        return True

    def die(self, shard: Frontend, how: str, /) -> Outcome:
        """Doubt a shard whose process has died."""
        self.results = None
        return UNCHANGED
