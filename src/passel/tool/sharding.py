"""From file to file in several processes, each of which parses, runs and prints a shard.

Any doubt ends it: what was done is forgotten, and the source is processed the plain way, which
says what there is to say. So shards only ever succeed in silence.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from mmap import mmap
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import PasselError
from passel.execution.outcome import UNCHANGED
from passel.execution.strategies import processors
from passel.ir.frontend import CutsSources, SourcePart, UnreadableError
from passel.manager import OpPassManager
from passel.passes.effects_guard import effects_of, passes_held
from passel.tool.part import Part

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel.diagnostics import Diagnostic
    from passel.execution import Outcome
    from passel.execution.strategies.base import Branch
    from passel.ir.frontend import Frontend
    from passel.tool.part import Shared

_PER_WORKER = 4
"""Shards for each worker: more balance better, fewer cost less."""

_WORTH_IT = 100_000
"""Characters from which on two processes gain more than forking them costs."""

_FLAGS = frozenset(
    {
        "Wno-unmatched-nest",
        "allow-unregistered-dialect",
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
        source: The source, all of the input.
        shared: What parts of an input share.

    Returns:
        The result; None if the source is to be processed the plain way.
    """
    frontend, is_asked = shared.frontend, shared.jobs != "auto"
    jobs = processors() if shared.jobs == "auto" else shared.jobs
    if (
        jobs < 2  # noqa: PLR2004 - one process is the plain way
        or not isinstance(frontend, CutsSources)
        or not isinstance(source.text, str)
        or len(source.text) < _WORTH_IT
        or not _FLAGS.issuperset(shared.settings.written)
        or not _may_be_cut(shared, is_asked=is_asked)
    ):
        return None
    shards = frontend.cut(source, jobs * _PER_WORKER)
    if len(shards) < 2:  # noqa: PLR2004 - the same
        return None
    from passel.execution.strategies.forked import Forked

    work = _ShardWork(source, shared)
    for _ in Forked(jobs, eager=True)(work, shards):
        pass
    return None if work.results is None else frontend.join(work.results)


def _may_be_cut(shared: Shared, *, is_asked: bool) -> bool:
    """Return whether the pipeline is only about ops at the top, and its passes can be run twice."""
    try:
        context = shared.frontend.new_context()
        empty = shared.frontend.parse(SourcePart("", "<none>"), context, _ignore)
        kind = shared.adapter.kind_of(empty.op)
        manager = shared.pipelines.make(kind, context, shared.adapter)
    except (PasselError, UnreadableError):
        return False  # to be said the plain way
    return all(
        isinstance(entry, OpPassManager) and entry.jobs is None and _can_leave(entry, is_asked)
        for entry in manager
    )


def _can_leave(manager: Any, is_asked: bool) -> bool:
    """Return whether passes leave no traces but in the IR, and say so if nobody has asked."""
    for entry in manager:
        if isinstance(entry, OpPassManager):
            if not _can_leave(entry, is_asked):
                return False
        elif effects_of(entry) or not all(
            each.can_fork and (is_asked or each.forks_unasked()) for each in passes_held(entry)
        ):
            return False
    return True


def _ignore(_: Diagnostic) -> None:
    pass


class _Result(NamedTuple):
    """The result of a shard.

    Attributes:
        emitted: What it emits.
        unmatched: Nested pipelines that found no op to run on.
    """

    emitted: str | bytes
    unmatched: tuple[str, ...]


class _ShardWork:
    """Shards as work for a strategy.

    Attributes:
        results: What the shards emit, in order; None if there is a doubt.
    """

    can_leave = True
    held_by = ""
    can_thread = False
    can_ship = False
    retries = False
    timeout = None
    jobs = None

    def __init__(self, source: SourcePart, shared: Shared) -> None:
        self._source = source
        self._shared = replace(shared, jobs=1, progress=None)
        self._is_apart = False
        self._doubts = mmap(-1, 1)  # shared by all processes
        self.results: list[str | bytes] | None = []

    def __call__(self, shard: Frontend, /) -> Outcome:
        """Process a shard; not in the process of the tool, where it could leave traces."""
        self._result = None
        if not self._is_apart:
            self.results = None
        elif not self._doubts[0]:
            self._result = self._process(shard)
            self._doubts[0] = self._result is None
        return UNCHANGED

    def _process(self, shard: Frontend) -> _Result | None:
        part = Part(self._source, replace(self._shared, frontend=shard), _doubt)
        try:
            result = part.process()
        except Exception:  # noqa: BLE001 - whatever it is, it happens again the plain way
            return None
        sys.stdout.flush()
        sys.stderr.flush()
        if result is None or os.fstat(self._said.fileno()).st_size:
            return None
        return _Result(result, part.unmatched)

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

    def pack(self, shard: Frontend, outcome: Outcome, noted: None, /) -> _Result | None:
        """Return what the shard has given."""
        return self._result

    def unpack(self, shard: Frontend, packed: _Result | None, /) -> None:
        """Take over what a shard has given."""
        if packed is None:
            self.results = None
        elif self.results is not None:
            self.results.append(packed.emitted)
            self._shared.reports.note_unmatched(packed.unmatched)

    def is_sound(self) -> bool:
        """Return True: doubts are told otherwise."""
        return True

    def die(self, shard: Frontend, how: str, /) -> Outcome:
        """Doubt a shard whose process has died."""
        self.results = None
        return UNCHANGED


def _doubt(diagnostic: Diagnostic) -> None:
    """Refuse what is to be said."""
    raise ValueError(diagnostic.message)
