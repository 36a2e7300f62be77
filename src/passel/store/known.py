"""Some known results of many ops: which are missing, whether they hold, and why not."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast
from zlib import crc32

from passel.errors import PasselError
from passel.store.keys import NotKeptError, digest_of
from passel.store.reports import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from passel.diagnostics import Extent
    from passel.store.entries import Store

_WORTH_KEEPING = 0.0002
"""Seconds of work on an op that are worth keeping: ten times what it takes to find it."""

_VERIFIED = 10
"""One of so many known results is run again to verify them."""

_MOST_NAMED = 5
"""Ops that an explanation names."""


class Items(Protocol):
    """Ops whose results can be known."""

    def __len__(self) -> int: ...

    def text(self, index: int) -> str:
        """Return the text of an op."""
        ...

    def seen(self, index: int) -> Sequence[tuple[str, str]]:
        """Return what results depend on besides the text of an op, with names for explanations."""
        ...

    def extent(self, index: int) -> Extent:
        """Return where an op is in the whole."""
        ...


class Result(NamedTuple):
    """The result of running passes on an op.

    Attributes:
        made: What they make of it, as JSON has it.
        report: What they have reported and counted.
    """

    made: Any
    report: Report


class KnownResults:
    """The results of ops, of which some may be known.

    Args:
        store: Where results are.
        mode: How it is used: `on`, `read` or `verify`.
        around: What all keys have in common, by names for explanations.
        items: The ops.
        name: The name of the whole, whose last run explanations compare with.

    Attributes:
        found: Results by the numbers of the ops.
        around: The result for what is around the ops; None if it is not known.
        missing: The ops whose results are not known.
    """

    def __init__(
        self, store: Store, mode: str, around: Mapping[str, str], items: Items, name: str
    ) -> None:
        self._store = store
        self._mode = mode
        self._items = items
        self._key_around = around
        whole = digest_of(each for item in around.items() for each in item)
        self._around_key = digest_of([whole, "around"])
        self._refusal_key = digest_of([whole, "refusal"])
        self._last_key = digest_of(["last", name])
        self._name = name
        self._seen = [items.seen(n) for n in range(len(items))]
        self._keys = [
            digest_of([whole, items.text(n), *(each for item in seen for each in item)])
            for n, seen in enumerate(self._seen)
        ]
        self.found: dict[int, Result] = {}
        self.around: Any = None
        self.missing: list[int] = []
        self._again: dict[int, Result] = {}

    def find(self) -> None:
        """Look all results up.

        Raises:
            NotKeptError: It is known that they are not kept.
            StoreError: The store cannot be used.
        """
        known = self._store.find([*self._keys, self._around_key, self._refusal_key])
        if (reason := known.get(self._refusal_key)) is not None:
            raise NotKeptError(str(reason))
        self.around = known.get(self._around_key)
        for index, key in enumerate(self._keys):
            try:
                made, report = known[key]
                report = Report.of_data(report, partial(self._items.extent, index))
                self.found[index] = Result(made, report)
            except (KeyError, ValueError, TypeError, AttributeError):
                self.missing.append(index)
        if self._mode == "verify":
            chosen = random.sample(sorted(self.found), -(-len(self.found) // _VERIFIED))
            self._again = {index: self.found[index] for index in chosen}

    @property
    def work(self) -> list[int]:
        """The ops to run: those that are missing, or verified, or one for what is around."""
        return sorted({*self.missing, *self._again}) or ([] if self.around is not None else [0])

    def take(self, results: Mapping[int, Result], around: Any) -> None:
        """Take the results of `work`.

        Raises:
            PasselError: A known result is not what the passes make of an op now.
        """
        for index, before in self._again.items():
            if results[index] != before:
                raise PasselError(
                    f"the result kept for {self._named(index)} is not what the passes make of it "
                    "now: one of them depends on more than its op, options and code "
                    "(Pass.cache_key can say on what); passel-cache clear drops all results"
                )
        self.found |= results
        self.around = around

    def keep(self, indices: Iterable[int], cost: float) -> None:
        """Keep results that are worth it, in a mode that keeps any.

        Args:
            indices: The ops that were run.
            cost: Seconds that this took.

        Raises:
            StoreError: They cannot be written.
        """
        sizes = {n: len(self._items.text(n)) for n in indices}
        per_character = cost / max(sum(sizes.values()), 1)
        entries: dict[bytes, Any] = {}
        for n, size in sizes.items():
            if size * per_character >= _WORTH_KEEPING:
                made, report = self.found[n]
                try:
                    data = report.to_data(partial(self._items.extent, n))
                except ValueError:
                    continue
                entries[self._keys[n]] = [made, data]
                if not self._store.is_shared:  # there, an entry is a request, and is of all
                    entries[self._name_key(n)] = _shortened(self._parts(n))
        if entries and self._mode != "read":
            entries[self._around_key] = self.around
            entries[self._last_key] = _shortened(self._key_around)
            self._store.keep(entries)

    def refuse(self, reason: str) -> None:
        """Keep it that results with this key are not kept.

        Raises:
            StoreError: It cannot be written.
        """
        if self._mode != "read":
            self._store.keep({self._refusal_key: reason})

    def explanation(self) -> str:
        """Return how much is known, and what differs from what is known of other runs."""
        total, missing = len(self._keys), self.missing
        words = f"{total - len(missing):,} of {total:,} ops known"
        if not missing:
            return words
        named = missing[:_MOST_NAMED]
        keys = [self._last_key, *map(self._name_key, named)]
        known = self._store.find(keys)
        changes = _changes(self._key_around, known.get(self._last_key))
        if "the pipeline" in changes:
            changes = ["the pipeline"]  # with all that comes with its passes
        if changes and len(missing) == total:
            return f"{words}; since the last run, {_listed(changes)} changed"
        told = [self._why(n, known.get(self._name_key(n))) for n in named]
        more = ["..."] if len(missing) > len(named) else []
        return "; ".join([words, *told, *more])

    def _why(self, index: int, last: Any) -> str:
        if last is None:
            return f"{self._named(index)} is new"
        changes = _changes(self._parts(index), last)
        if not changes:
            return f"{self._named(index)} is not kept any more"
        return f"of {self._named(index)}, {_listed(changes)} changed"

    def _parts(self, index: int) -> dict[str, str]:
        return {"the text": self._items.text(index), **dict(self._seen[index])}

    def _name_key(self, index: int) -> bytes:
        return digest_of(["named", self._name, self._named(index)])

    def _named(self, index: int) -> str:
        """Return the first line of an op up to its symbol."""
        line = self._items.text(index).partition("\n")[0]
        head, at, rest = line.partition("@")
        return f"{head}@{rest.partition('(')[0]}" if at else line

    def results(self) -> list[Result]:
        """Return the results of all ops."""
        return [self.found[n] for n in range(len(self._keys))]


def _shortened(parts: Mapping[str, str]) -> dict[str, int]:
    """Return checksums, which are enough for explanations."""
    return {name: crc32(text.encode("utf-8", "replace")) for name, text in parts.items()}


def _changes(parts: Mapping[str, str], last: Any) -> list[str]:
    """Return the names of parts that were others the last time, or not there."""
    if not isinstance(last, dict):
        return []
    then, now = cast("dict[str, Any]", last), _shortened(parts)
    return [name for name in {**now, **then} if now.get(name) != then.get(name)]


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
