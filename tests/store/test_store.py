"""A store: entries that match their digests, for several processes, within a limit."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from passel.store import LocalStore, StoreError, digest_of, open_store
from passel.store.entries import digest_of_entry
from passel.tool.cache import main

if TYPE_CHECKING:
    from pathlib import Path

KEYS = [digest_of([str(number)]) for number in range(2_040)]

WORKER = """
import sys
from passel.store import StoreError, digest_of, open_store

store = open_store(sys.argv[1])
seed = int(sys.argv[2])
while True:
    for first in range(seed, 2_000, 100):
        numbers = range(first, first + 40)
        try:
            store.keep({digest_of([str(n)]): ["x" * n, n] for n in numbers})
            found = store.find([digest_of([str(n)]) for n in numbers])
        except StoreError as error:
            assert "database is locked" in str(error)  # after others have written for seconds
            continue
        for n in numbers:
            assert found.get(digest_of([str(n)])) in (None, ["x" * n, n])
        print("step", flush=True)
"""


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    """A store in a directory of its own."""
    return LocalStore(tmp_path / "kept")


def _database(store: LocalStore) -> sqlite3.Connection:
    (file,) = store.directory.glob("*.sqlite")
    return sqlite3.connect(file)


def test_what_is_kept_is_found(store: LocalStore) -> None:
    """Results come back as they were, and unknown keys are left out."""
    results = {key: ["text \u2028", {"a": number}] for number, key in enumerate(KEYS)}
    assert store.find(KEYS) == {}
    store.keep(results)
    assert store.find([*KEYS, b"unknown"]) == results


def test_parts_of_a_key_do_not_run_together() -> None:
    """Each part counts with its length."""
    keys = {digest_of(parts) for parts in (["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], [])}
    assert len(keys) == 5


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET value = x'00'",
        "UPDATE entries SET digest = x'00'",
        "UPDATE entries SET value = NULL",
        "UPDATE entries SET value = 'text', digest = 'text'",
        "UPDATE entries SET value = (SELECT value FROM entries LIMIT 1 OFFSET 7)",
        "UPDATE entries SET digest = (SELECT digest FROM entries LIMIT 1 OFFSET 7)",
        "DELETE FROM entries",
    ],
)
def test_an_entry_that_does_not_match_is_dropped(store: LocalStore, change: str) -> None:
    """It makes a miss, and is gone afterwards."""
    store.keep({key: number for number, key in enumerate(KEYS)})
    with closing(_database(store)) as database, database:
        database.execute(change)
    found = store.find(KEYS)
    assert all(found[key] == KEYS.index(key) for key in found)
    assert len(found) < 2
    assert store.statistics().entries == len(found)


@pytest.mark.parametrize("value", [b"no zlib", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_values_of_another_form_are_dropped(store: LocalStore, value: bytes) -> None:
    """A value with the right digest that is no JSON is a miss."""
    store.keep({KEYS[0]: 1})
    with closing(_database(store)) as database, database:
        digest = digest_of_entry(KEYS[0], value, b"")
        database.execute("UPDATE entries SET value = ?, digest = ?", (value, digest))
    assert store.find(KEYS[:1]) == {}


def test_the_size_has_a_limit(tmp_path: Path) -> None:
    """What was not used for longest goes first."""
    store = LocalStore(tmp_path / "kept", limit=400_000)
    for first in range(0, 200, 10):
        store.keep({key: os.urandom(4_000).hex() for key in KEYS[first : first + 10]})
        with closing(_database(store)) as database, database:
            database.execute("UPDATE entries SET used = used - 1")
    assert store.statistics().size <= 450_000
    assert len(store.find(KEYS[190:200])) == 10
    assert store.find(KEYS[:10]) == {}


@pytest.mark.parametrize("kind", ["", "file://"])
@pytest.mark.parametrize("count", [4, pytest.param(20, marks=pytest.mark.sweep)])
def test_processes_are_killed_at_random(tmp_path: Path, kind: str, count: int) -> None:
    """Whatever processes were doing at once, each entry that is left is right."""
    place = f"{kind}{tmp_path / 'kept'}"
    choose = random.Random(1)  # noqa: S311 - no secret
    for _ in range(3):
        workers = [
            subprocess.Popen(
                [sys.executable, "-c", WORKER, place, str(5 * number)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for number in range(count)
        ]
        assert workers[0].stdout is not None
        assert workers[0].stdout.readline() == "step\n"
        choose.shuffle(workers)
        for worker in workers:
            time.sleep(choose.random() / count)
            worker.send_signal(signal.SIGKILL)
            _, said = worker.communicate()
            assert said == ""
    store = open_store(place)
    found = store.find(KEYS)
    assert len(found) > 100
    assert all(result == ["x" * KEYS.index(key), KEYS.index(key)] for key, result in found.items())
    if not kind:  # what was not renamed yet counts there
        assert store.statistics().entries == len(found)


@pytest.mark.parametrize("content", [b"", b"no database" * 1000])
def test_a_file_that_is_no_database(store: LocalStore, content: bytes) -> None:
    """It cannot be used until it is cleared."""
    store.keep({KEYS[0]: 1})
    for each in store.directory.iterdir():
        each.write_bytes(content)
    if content:
        with pytest.raises(StoreError, match="not a database"):
            store.find(KEYS)
        store.clear()
    store.keep({KEYS[0]: 2})
    assert store.find(KEYS) == {KEYS[0]: 2}


def test_python_without_assertions_is_another_one() -> None:
    """A pass that fails by an assertion does not with `-O`."""
    code = "from passel.store.code import versions_of; print(versions_of([], is_shared=False))"
    said = [
        subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, check=True).stdout
        for flags in ([], ["-O"])
    ]
    assert said[0] != said[1]


def test_the_command(store: LocalStore, capsys: pytest.CaptureFixture[str]) -> None:
    """passel-cache counts, prunes and clears."""
    where = f"--dir={store.directory}"
    assert main(["stats", where]) == 0
    assert not store.directory.exists()
    store.keep(dict.fromkeys(KEYS, "text"))
    assert main(["stats", where]) == 0
    assert f"{len(KEYS):,} entries" in capsys.readouterr().out
    assert main(["prune", where, "--limit=0"]) == 0
    assert main(["clear", where]) == 0
    assert ": 0 entries, 0.0 MiB" in capsys.readouterr().out
    store.directory.chmod(0o777)
    store.directory.joinpath("results-1.sqlite").touch()
    assert main(["stats", where]) == 1
    assert "others can write to it" in capsys.readouterr().err
    assert main(["stats", f"{where}/results-1.sqlite"]) == 1
    assert "results-1.sqlite' is no directory" in capsys.readouterr().err
