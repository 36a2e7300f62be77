"""Entry points and versions of installed packages, against `importlib.metadata`."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from passel.installed import EntryPoint, entry_points, version_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

POINTS = """
# A comment.
[my.group]
plain = json
 spaced  =  json : dumps
with.dots=json.decoder:JSONDecoder.decode
extras = json:loads [fast]

[other.group]
plain = os
"""


def install(directory: Path, name: str = "My.pkg", points: str = POINTS) -> Path:
    """Install a package into a directory."""
    info = directory / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    return info


def peer(group: str) -> list[tuple[str, str, str]]:
    """Return what `importlib.metadata` finds."""
    found = importlib.metadata.entry_points(group=group)
    return sorted((each.name, each.module, each.attr or "") for each in found)


def ours(group: str) -> list[tuple[str, str, str]]:
    """Return what passel finds."""
    return sorted((each.name, each.module, each.attribute) for each in entry_points(group))


def test_everything_that_is_installed_here() -> None:
    """All groups and versions are those that `importlib.metadata` finds."""
    distributions = list(importlib.metadata.distributions())
    groups = {point.group for each in distributions for point in each.entry_points}
    assert {"passel.passes", "passel.adapters", "console_scripts"} <= groups
    for group in groups:
        assert ours(group) == peer(group)
    for each in distributions:
        assert version_of(each.name) == each.version


def test_what_they_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """White space, comments, dots and extras are read as `importlib.metadata` does."""
    install(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert ours("my.group") == peer("my.group")
    assert ours("other.group") == peer("other.group") == [("plain", "os", "")]
    found = {each.name: each for each in entry_points("my.group")}
    assert list(found) == ["extras", "plain", "spaced", "with.dots"]
    assert found["with.dots"] == EntryPoint(
        "with.dots", "json.decoder", "JSONDecoder.decode", "My.pkg"
    )
    json = __import__("json")
    assert [each.load() for each in found.values()] == [
        json.loads, json, json.dumps, json.decoder.JSONDecoder.decode
    ]  # fmt: skip


def test_the_package_that_is_imported_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two with one name, however it is spelt, the first in the path is asked."""
    install(tmp_path / "b", "my_PKG", "[my.group]\nlate = os\n")
    install(tmp_path / "a")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "a"), str(tmp_path / "b"), *sys.path])
    assert ours("my.group") == peer("my.group")
    assert "late" not in {each.name for each in entry_points("my.group")}


def test_installing_and_removing_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that goes on sees packages come, change and go."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert entry_points("my.group") == ()
    for points, names in ((POINTS, 4), ("[my.group]\nnew = os\n", 1)):
        info = install(tmp_path, points=points)
        os.utime(tmp_path, ns=(names, names))  # clocks of file systems are coarse
        assert len(entry_points("my.group")) == names
        for file in info.iterdir():
            file.unlink()
        info.rmdir()
        os.utime(tmp_path, ns=(0, 0))
        assert entry_points("my.group") == ()


def test_packages_that_are_not_in_directories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For archives in the path, `importlib.metadata` is asked."""
    info = install(tmp_path)
    archive = tmp_path / "packages.zip"
    with ZipFile(archive, "w") as file:
        for each in info.iterdir():
            file.write(each, f"{info.name}/{each.name}")
    monkeypatch.setattr(sys, "path", [str(archive), *sys.path])
    assert ours("my.group") == peer("my.group") != []
    assert version_of("my-pkg") == "1.0"


def test_finders_that_know_of_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """If another finder finds packages, `importlib.metadata` is asked."""

    class Distribution(importlib.metadata.Distribution):
        def read_text(self, filename: str) -> str | None:
            return {
                "METADATA": "Name: elsewhere\nVersion: 2\n",
                "entry_points.txt": POINTS,
            }.get(filename)

        def locate_file(self, path: object) -> Path:
            raise NotImplementedError

    class Finder(importlib.metadata.DistributionFinder):
        def find_distributions(self, context: object = None) -> Iterable[Distribution]:
            return [Distribution()]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert len(entry_points("my.group")) == 4


def test_a_package_that_is_not_installed() -> None:
    """It has no version."""
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        version_of("not-installed-anywhere")
