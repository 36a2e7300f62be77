"""Runs on whole ops whose results are kept across runs.

A result is read back from text, which takes longer than most passes: what is kept is what took
longer still, and reads back as the very same IR.
"""

from __future__ import annotations

from hashlib import sha256
from time import process_time
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Extent, log_warning_once
from passel.errors import EncodingError
from passel.execution import Outcome
from passel.ir import KeepsOps, ability_of
from passel.ir.frontend import UnreadableError
from passel.manager.reading import read_ir
from passel.manager.run_result import RunResult
from passel.passes.walking import walk
from passel.record.snapshots import EXACT
from passel.store import (
    KnownResults,
    NotKeptError,
    Report,
    Result,
    Store,
    StoreError,
    key_of_run,
    open_store,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from passel.ir import IRAdapter
    from passel.manager.op_pass_manager import OpPassManager

_NOWHERE = Extent("", 0, 0)
_NAME = "<kept>"

_PRINTING = 10
"""How much longer than printing reading takes at least."""


class KeptRun:
    """A run on an op that stands in no other, whose result may be known.

    Args:
        cache: A directory or a URL with results, or a store.
        manager: What runs.
        options: What else the result depends on.
        adapter: The adapter of the IR.
        op: The op.
        obstacle: Why the result is neither looked up nor kept; empty if it is.
    """

    def __init__(
        self,
        cache: Store | str | Path,
        manager: OpPassManager,
        options: str,
        adapter: IRAdapter,
        op: Any,
        obstacle: str,
    ) -> None:
        self._adapter = adapter
        self._op = op
        self._known: KnownResults | None = None
        try:
            store = cache if isinstance(cache, Store) else open_store(str(cache))
            self._known = self._looked_up(store, manager, options, obstacle)
        except (NotKeptError, StoreError, EncodingError, OSError) as error:
            _say(error)

    def _looked_up(
        self, store: Store, manager: OpPassManager, options: str, obstacle: str
    ) -> KnownResults:
        if obstacle:
            raise NotKeptError(obstacle)
        keeps = ability_of(self._adapter, KeepsOps)
        if keeps is None:
            raise NotKeptError(f"'{self._adapter.name}' has no bytes that stand for ops")
        if self._adapter.parent(self._op) is not None:
            raise NotKeptError("the op stands in another one, which passes may look at")
        for pass_, *_ in walk(manager):
            if "<locals>" in (name := type(pass_).__qualname__):
                raise NotKeptError(f"{name} is made in a function, whose values no key holds")
        text = manager.to_text(all_options=True)
        key, _ = key_of_run(manager, text, self._adapter, is_shared=store.is_shared)
        self._keeps = keeps
        self._before = self._contents()
        item = _Item(self._before)
        known = KnownResults(store, "on", {**key, "the run's options": options}, item, _NAME)
        known.find()
        return known

    def result(self) -> RunResult | None:
        """Make the op what passes make of it, and return the result; None if it is not known."""
        if self._known is None or (found := self._known.found.get(0)) is None:
            return None
        try:
            changed, text, unmatched = found.made
            other = None if text is None else self._read(text)
        except (ValueError, TypeError, UnreadableError):
            return None
        if other is not None:
            self._keeps.become(self._op, other)
        outcome = Outcome(changed, (), *found.report)
        statistics = outcome.statistics()
        return RunResult(changed, outcome.diagnostics, statistics, None, tuple(unmatched))

    def keep(self, result: RunResult, seconds: float) -> None:
        """Keep the result of a run that has taken so much time, if it is worth it."""
        if self._known is None:
            return
        text = None
        try:  # `changed` leaves out names, which the result has all the same
            if self._contents() != self._before and (text := self._text(seconds)) is None:
                return
        except EncodingError:
            return
        counts = {
            (path, name): amount
            for path, named in result.statistics.items()
            for name, amount in named.items()
        }
        made = [result.changed, text, list(result.unmatched)]
        self._known.take({0: Result(made, Report(result.diagnostics, counts))}, None)
        try:
            self._known.keep([0], seconds)
        except StoreError as error:
            _say(error)

    def _contents(self) -> str:
        return sha256(self._keeps.contents(self._op)).hexdigest()

    def _text(self, seconds: float) -> str | None:
        """Return the op as text; None if that does not read back as the same, in so much time."""
        before = process_time()
        try:
            text = self._adapter.print_op(self._op, EXACT)
            if (process_time() - before) * _PRINTING > seconds:
                return None
            before = process_time()
            again = self._read(text)
            is_quick = process_time() - before <= seconds
            return text if is_quick and self._keeps.is_same(self._op, again) else None
        except Exception:  # noqa: BLE001 - of dialects' printers and parsers
            return None

    def _read(self, text: str) -> Any:
        context = self._adapter.create_context()  # in the run's, reading would load dialects
        return read_ir(self._adapter, context, text, _NAME)


class _Item:
    """An op as the only one.

    Args:
        contents: What stands for all that it is.
    """

    def __init__(self, contents: str) -> None:
        self._contents = contents

    def __len__(self) -> int:
        return 1

    def text(self, index: int) -> str:
        """Return what stands for the op."""
        return self._contents

    def seen(self, index: int) -> Sequence[tuple[str, str]]:
        """Return nothing else."""
        return ()

    def extent(self, index: int) -> Extent:
        """Return no place: where ops come from is part of what they are."""
        return _NOWHERE


def _say(error: Exception) -> None:
    log_warning_once(f"no results are kept: {error}")
