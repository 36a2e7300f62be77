"""A store on a local disk: a database of SQLite, which several processes use at once."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from passel.store.entries import Statistics, Store, StoreError, packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

_FILE: Final = "results-1.sqlite"
"""The file of this form of entries; another form gets another name."""

_LIMIT: Final = 512 * 2**20
"""Bytes from which on what was not used for longest goes."""

_AFTER_PRUNING: Final = 0.8
"""Part of the limit that is left then, so that not each run prunes."""

_OVERHEAD: Final = 150
"""Bytes of an entry besides its value."""

_BATCH: Final = 500
"""Keys in one query: SQLite takes 999 parameters or more."""

_NOTED_AFTER: Final = 3600
"""Seconds after which another use of an entry is noted."""

_WAIT: Final = 5
"""Seconds to wait for another process that writes."""

_WRITABLE_BY_OTHERS: Final = 0o022


class LocalStore(Store):
    """A store in a directory that is the user's alone.

    An entry that does not match its digest is dropped. The database is open only while one of the
    methods runs.

    Args:
        directory: Where it is; made if need be.
        writes: Whether anything may be written.
        limit: Bytes that it may take.
    """

    is_shared = False

    def __init__(self, directory: Path, *, writes: bool = True, limit: int = _LIMIT) -> None:
        self.name: str = str(directory)
        self.directory: Path = directory
        self._writes = writes
        self._limit = limit

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """Return the results of those keys that are known."""
        if not self._file.exists():
            return {}
        found: dict[bytes, Any] = {}
        wrong: list[bytes] = []
        old: list[bytes] = []
        with self._opened() as database:
            noted = time.time() - _NOTED_AFTER
            for key, value, digest, used in _rows_of(database, keys):
                try:
                    found[key] = unpacked(key, value, digest)
                except ValueError:
                    wrong.append(key)
                else:
                    if not isinstance(used, int) or used < noted:
                        old.append(key)
            if self._writes and (wrong or old):
                now = int(time.time())
                database.execute("BEGIN IMMEDIATE")
                database.executemany("DELETE FROM entries WHERE key = ?", ((k,) for k in wrong))
                database.executemany(
                    "UPDATE entries SET used = ? WHERE key = ?", ((now, key) for key in old)
                )
                database.execute("COMMIT")
        return found

    def keep(self, results: Mapping[bytes, Any]) -> None:
        """Keep results, and drop what was not used for longest if there are too many."""
        now = int(time.time())
        rows = [(key, *packed(key, result), now) for key, result in results.items()]
        with self._opened() as database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", rows)
            _prune(database, self._limit)
            database.execute("COMMIT")

    def statistics(self) -> Statistics:
        """Return how much there is."""
        if self.directory.exists() and not self.directory.is_dir():
            raise StoreError(f"'{self.name}' is no directory")
        if not self._file.exists():
            return Statistics(0, 0)
        with self._opened() as database:
            (count,) = database.execute("SELECT count(*) FROM entries").fetchone()
            return Statistics(count, _size(database))

    def prune(self, limit: int) -> None:
        """Drop what was not used for longest, until no more bytes are taken than a limit."""
        if not self._file.exists():
            return
        with self._opened() as database:
            database.execute("BEGIN IMMEDIATE")
            _prune(database, limit, 1.0)
            database.execute("COMMIT")
            database.execute("VACUUM")

    def clear(self) -> None:
        """Remove the files of the store."""
        try:
            for end in ("", "-wal", "-shm"):
                Path(f"{self._file}{end}").unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"'{self.name}': {error.strerror}") from None

    @property
    def _file(self) -> Path:
        return self.directory / _FILE

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        try:
            if self._writes:
                self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._check_owner()
            how = "rwc" if self._writes else "ro"
            uri = f"{self._file.absolute().as_uri()}?mode={how}"
            with closing(
                sqlite3.connect(uri, timeout=_WAIT, isolation_level=None, uri=True)
            ) as database:
                if self._writes:
                    database.execute("PRAGMA journal_mode = WAL")
                    database.execute("PRAGMA synchronous = NORMAL")
                    database.execute(
                        "CREATE TABLE IF NOT EXISTS entries "
                        "(key BLOB PRIMARY KEY, value BLOB, digest BLOB, used INTEGER)"
                    )
                yield database
        except sqlite3.Error as error:
            raise StoreError(f"'{self.name}': {error}") from None
        except OSError as error:
            raise StoreError(f"'{self.name}': {error.strerror or error}") from None

    def _check_owner(self) -> None:
        """Refuse a directory that others can write to: they could make up results."""
        status = self.directory.stat()
        is_mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        if not is_mine or status.st_mode & _WRITABLE_BY_OTHERS:
            raise StoreError(f"'{self.name}': others can write to it")


def _rows_of(
    database: sqlite3.Connection, keys: Sequence[bytes]
) -> Iterable[tuple[bytes, Any, Any, Any]]:
    for first in range(0, len(keys), _BATCH):
        batch = keys[first : first + _BATCH]
        marks = ",".join("?" * len(batch))
        yield from database.execute(
            f"SELECT key, value, digest, used FROM entries WHERE key IN ({marks})",  # noqa: S608 - question marks
            batch,
        ).fetchall()


def _size(database: sqlite3.Connection) -> int:
    pages, free, size = (
        database.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _prune(database: sqlite3.Connection, limit: int, rest: float = _AFTER_PRUNING) -> None:
    excess = _size(database)
    if excess <= limit:
        return
    excess -= int(limit * rest)
    gone: list[bytes] = []
    for key, size in database.execute("SELECT key, length(value) FROM entries ORDER BY used"):
        gone.append(key)
        excess -= (size or 0) + _OVERHEAD
        if excess <= 0:
            break
    database.executemany("DELETE FROM entries WHERE key = ?", ((key,) for key in gone))
