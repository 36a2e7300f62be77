"""Stores at URLs: objects that match their digests, signed if there is a secret."""

from __future__ import annotations

import builtins
import os
import shutil
import socket
import subprocess
import sys
import uuid
from typing import TYPE_CHECKING, Any

import fsspec
import pytest
from s3_server import s3_server
from sliced_inputs import long_functions
from tool_fixtures import Outcome

import passel
from passel.store import StoreError, digest_of, open_store, remote
from passel.tool import driver
from passel.tool.cache import main

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from tool_fixtures import Tool

KEYS = [digest_of([str(number)]) for number in range(12)]
RESULTS: dict[bytes, Any] = {key: ["text \u2028", {"a": n}] for n, key in enumerate(KEYS)}
SECRET = "a secret of some length"  # noqa: S105 - of a test
CLEAN = "-p=builtin.module(func.func(cse,canonicalize))"


@pytest.fixture(scope="module")
def s3() -> Generator[Mapping[str, str]]:
    """A server of S3."""
    with s3_server() as environment:
        yield environment


S3 = pytest.param("s3", marks=pytest.mark.sweep)


@pytest.fixture(params=["memory", "file", S3])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty place on each kind of filesystem: in memory, with renaming, and an object store."""
    if request.param == "s3":
        request.getfixturevalue("s3")
    folder = {"memory": "", "file": f"{tmp_path}/", "s3": "bucket/"}[request.param]
    return f"{request.param}://{folder}{uuid.uuid4().hex}"


def _objects(url: str) -> dict[str, bytes]:
    files, path = _filesystem(url)
    return files.cat(files.find(path))


def _filesystem(url: str) -> tuple[Any, str]:
    core: Any = fsspec.core
    return core.url_to_fs(url)


def test_what_is_kept_is_found(url: str) -> None:
    """Results come back as they were, and unknown keys are left out."""
    store = open_store(url)
    assert store.find(KEYS) == {}
    assert store.statistics() == (0, 0)
    store.keep(RESULTS)
    assert open_store(url).find([*KEYS, digest_of(["unknown"])]) == RESULTS
    assert store.find([]) == {}
    assert store.statistics() == (12, sum(map(len, _objects(url).values())))


def test_what_was_written_first_is_dropped(url: str) -> None:
    """Pruning leaves what fits, and clearing nothing, beside the files of others."""
    files, path = _filesystem(url)
    files.pipe_file(f"{path}.other", b"")
    store = open_store(url)
    store.keep({KEYS[0]: os.urandom(200).hex()})
    store.keep({key: os.urandom(200).hex() for key in KEYS[1:]})
    entries, size = store.statistics()
    store.prune(size)
    assert store.statistics() == (entries, size)
    store.prune(size - 1)
    assert store.find(KEYS).keys() < set(KEYS)
    assert store.statistics().entries == 11
    store.clear()
    assert store.statistics() == (0, 0)
    assert files.exists(f"{path}.other")


def _spoiled(data: bytes, other: bytes) -> list[bytes]:
    return [b"", data[:-1], data[:32], data[:40] + b"x" + data[41:], b"x" + data[1:], other]


def test_objects_that_do_not_match_are_misses(url: str) -> None:
    """They are replaced when results are kept again."""
    store = open_store(url)
    store.keep(RESULTS)
    files, _ = _filesystem(url)
    objects = _objects(url)
    others = [*objects.values()]
    for number, (path, data) in enumerate(objects.items()):
        files.pipe_file(path, _spoiled(data, others[number - 1])[number % 6])
    assert store.find(KEYS) == {}
    store.keep(RESULTS)
    assert store.find(KEYS) == RESULTS


def test_signed_entries(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a secret, nothing is found but what was signed with it, wherever a forger puts it."""

    def known(secret: str | None) -> Mapping[bytes, Any]:
        if secret is None:
            monkeypatch.delenv("PASSEL_CACHE_KEY", raising=False)
        else:
            monkeypatch.setenv("PASSEL_CACHE_KEY", secret)
        return open_store(url).find(KEYS)

    assert known(None) == {}
    open_store(url).keep(dict.fromkeys(KEYS, "forged"))
    assert known(SECRET) == {}
    files, _ = _filesystem(url)
    for path, data in _objects(url).items():
        files.pipe_file(f"{path}.signed", data)
    assert known(SECRET) == {}
    open_store(url).keep(RESULTS)
    (tmp_path / "key").write_text(f"{SECRET}\n")
    assert known(SECRET) == known(f"@{tmp_path}/key") == RESULTS
    assert known(f"{SECRET}!") == {}
    assert known(None) == dict.fromkeys(KEYS, "forged")


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ("", "PASSEL_CACHE_KEY is shorter than 16 bytes"),
        ("                    ", "PASSEL_CACHE_KEY is shorter than 16 bytes"),
        ("@/none/such", "PASSEL_CACHE_KEY: '/none/such': No such file or directory"),
    ],
)
def test_a_secret_that_is_missing_is_not_taken_for_none(
    secret: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable without a value, as CI has it for strangers, does not turn signing off."""
    monkeypatch.setenv("PASSEL_CACHE_KEY", secret)
    with pytest.raises(StoreError, match=said):
        open_store("memory://").find(KEYS)


def test_passwords_are_not_shown() -> None:
    """What is said about a store names no user and no password."""
    assert open_store("memory://user:password@host/path").name == "memory://host/path"


# -- Packages --------------------------------------------------------------------------------


def test_packages_that_are_missing_are_one_error(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names the extra, or the package that the protocol needs besides."""
    monkeypatch.setattr(driver, "_WORTH_KEEPING", 0)
    assert _error(tool, "nope://a") == "'nope://a': Protocol not known: nope"
    said = "'gcs://a' needs more than passel's extra 'remote': Please install gcsfs"
    assert _error(tool, "gcs://a").startswith(said)
    for name in [name for name in sys.modules if name.partition(".")[0] == "fsspec"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", _without_fsspec(builtins.__import__))
    assert _error(tool, "s3://a") == (
        "'s3://a' needs fsspec: pip install '.[remote]' in passel's checkout"
    )


def _error(tool: Tool, url: str) -> str:
    found = tool("in.mlir", CLEAN, f"--cache={url}")
    assert (found.code, found.out) == (1, "")
    (line,) = found.err.splitlines()
    return line.removeprefix("passel-opt: error: ")


def _without_fsspec(real: Any) -> Any:
    def load(name: str, *arguments: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "fsspec":
            raise ModuleNotFoundError(name)
        return real(name, *arguments, **named)

    return load


# -- Machines --------------------------------------------------------------------------------


def _on_another_machine(machine: Path, *flags: str) -> Outcome:
    """Run passel-opt with a package from elsewhere, in a folder of its own."""
    (source,) = passel.__path__
    shutil.copytree(source, machine / "packages" / "passel")
    (machine / "in.mlir").write_text(long_functions())
    environment = {**os.environ, "PYTHONPATH": str(machine / "packages")}
    environment["XDG_CACHE_HOME"] = str(machine / "cache")
    command = [sys.executable, "-m", "passel", "in.mlir", CLEAN, *flags]
    done = subprocess.run(
        command, cwd=machine, env=environment, capture_output=True, text=True, check=False
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("url", ["file", S3], indirect=True)
def test_another_machine_fills_from_it(tool: Tool, tmp_path: Path, url: str) -> None:
    """Machines with the same code find what the first has kept, wherever files are there."""
    flags = (f"--cache={url}", "--cache-explain")
    cold = _on_another_machine(tmp_path / "first", *flags)
    warm = _on_another_machine(tmp_path / "second", *flags)
    assert cold.err.startswith("passel-opt: cache: 0 of 16 ops known; ")
    assert warm.err == "passel-opt: cache: 16 of 16 ops known\n"
    assert cold.out == warm.out == tool(CLEAN, stdin=long_functions()).out


def _line_of_trouble(tool: Tool, place: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what is said of a place, without which the run goes on as ever."""
    monkeypatch.setattr(driver, "_WORTH_KEEPING", 0)
    plain = tool(CLEAN, stdin=long_functions())
    found = tool(CLEAN, f"--cache={place}", stdin=long_functions())
    assert (found.code, found.out) == (plain.code, plain.out)
    (line,) = found.err.splitlines()
    return line.removeprefix("passel-opt: warning: no results are kept: ")


def test_trouble_is_a_miss(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what is wrong, and the run goes on."""
    said = _line_of_trouble(tool, "file:///dev/null", monkeypatch)
    assert said == "'file:///dev/null': Not a directory"


@pytest.mark.sweep
def test_trouble_with_a_network_is_a_miss(
    tool: Tool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is with a bucket that is not there, and servers that do not answer.

    For passel-cache it is an error.
    """
    with s3_server():
        said = _line_of_trouble(tool, "s3://none", monkeypatch)
        assert said == "'s3://none': The specified bucket does not exist"
    said = _line_of_trouble(tool, "http://127.0.0.1:1", monkeypatch)
    assert said.startswith("'http://127.0.0.1:1': Connect call failed")
    assert main(["stats", "--dir=http://127.0.0.1:1"]) == 1
    assert "'http://127.0.0.1:1': Connect call failed" in capsys.readouterr().err
    monkeypatch.setattr(remote, "_PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert _line_of_trouble(tool, url, monkeypatch) == f"'{url}': no answer within 0.5 s"


def test_the_command_takes_urls(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """passel-cache counts, prunes and clears there as well."""
    monkeypatch.setenv("PASSEL_CACHE", url)
    open_store(url).keep(RESULTS)
    for words, left in ((["stats"], 12), (["prune", "--limit=1"], 12), (["prune", "--limit=0"], 0)):
        assert main(words) == 0
        assert capsys.readouterr().out.startswith(f"{url}: {left} entries, ")
    assert main(["clear"]) == 0
    assert main(["stats", "--dir=nope://a"]) == 1
    assert "error: 'nope://a': Protocol not known" in capsys.readouterr().err
