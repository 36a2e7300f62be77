"""Reproducers as files: whatever happens, none is cut off and nothing else stays behind."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.instruments import reproducer_file, whole_files
from passel.instruments.reproducer import CrashReproducer
from passel.instruments.reproducer_file import ReproducerFile
from passel.instruments.whole_files import check_writable, write_whole
from passel.testing import ToyAdapter, parse_toy

PLUGIN = '''\
import time
from passel import Pass, PassFailure


class Wait(Pass):
    """Wait for a signal."""

    name = "wait"

    def run(self, op, ctx):
        print("waiting", flush=True)
        for _ in range(6000):  # a signal that comes just before one long call would wait for its end
            time.sleep(0.01)


class Fail(Pass):
    """Fail, or crash."""

    name = "fail"
    crash: bool = False

    def run(self, op, ctx):
        if self.crash:
            raise KeyError("absent")
        raise PassFailure("no")
'''

TOOL = (sys.executable, "-m", "passel", "--load-pass-plugin=plugin.py", "in.mlir")
REPRODUCER = "--mlir-pass-pipeline-crash-reproducer=r.mlir"
LOCAL = "--mlir-pass-pipeline-local-reproducer"


class Fail(Pass[Any]):
    """Fail."""

    name = "fail"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure("no")


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of its own with a plugin, an input and an older reproducer."""
    monkeypatch.chdir(tmp_path)
    Path("plugin.py").write_text(PLUGIN)
    Path("in.mlir").write_text("func.func @a() { return }\n")
    Path("r.mlir").write_text("older")
    return tmp_path


def names(directory: Path) -> list[str]:
    """Return the names of the files that are there, but for Python's."""
    return sorted(path.name for path in directory.iterdir() if path.name != "__pycache__")


GIVEN = ["in.mlir", "plugin.py", "r.mlir"]


# -- Signals ---------------------------------------------------------------------------------------


def end_by(*signals: signal.Signals, ignored: signal.Signals | None = None) -> tuple[int, str]:
    """Send signals to the tool while a pass runs; return the exit code and the error stream."""
    words = ["-p", "any(wait)", REPRODUCER, "-o", "out.mlir"]

    def handle() -> None:  # whatever the suite was started with
        for each in signals:
            signal.signal(each, signal.SIG_IGN if each is ignored else signal.SIG_DFL)

    with subprocess.Popen(
        [*TOOL, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=handle,  # noqa: PLW1509 - there is one thread
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        for each in signals:
            process.send_signal(each)
        _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGHUP, 129), (signal.SIGTERM, 143)])
def test_a_signal_leaves_the_reproducer_alone(
    directory: Path, number: signal.Signals, code: int
) -> None:
    """A lost terminal ends the tool as Ctrl-C does: the file is whole, nothing else is left."""
    returned, err = end_by(number)
    assert returned == code
    assert "passel-opt: terminated: " in err
    assert "'wait' was interrupted by Termination" in err
    assert "builtin.module(wait)" in Path("r.mlir").read_text()
    assert Path("r.mlir").read_text().endswith("#-}\n")
    assert names(directory) == GIVEN


# -- Disks that are full -----------------------------------------------------------------------------


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
def test_a_full_disk_leaves_the_older_file(directory: Path, local: bool) -> None:
    """The note says why there is no new one and that the older one is kept."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))

    result = subprocess.run(
        [*TOOL, "-p", "any(fail)", REPRODUCER, *[LOCAL] * local],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 1
    assert (
        "cannot open output file 'r.mlir': File too large; the older file of that name is kept"
    ) in result.stderr
    assert "to replay: passel-opt --run-reproducer" not in result.stderr
    assert Path("r.mlir").read_text() == "older"
    assert names(directory) == GIVEN


def test_what_was_written_ahead_will_do(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full only when the run fails, the file written ahead takes the place."""
    place = ReproducerFile("r.mlir")
    place.prepare("ahead")

    def refuse(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(reproducer_file, "write_whole", refuse)
    assert place.commit("pretty")
    place.discard()
    assert Path("r.mlir").read_text() == "ahead"
    assert names(directory) == GIVEN


# -- Paths that cannot be written --------------------------------------------------------------------

UNWRITABLE: dict[str, tuple[str, type[Exception]]] = {
    "no-directory": ("absent/r.mlir", FileNotFoundError),
    "a-directory": (".", IsADirectoryError),
    "below-a-file": ("in.mlir/r.mlir", NotADirectoryError),
    "too-long": ("r" * 300, OSError),
    "nul": ("r\0.mlir", ValueError),
    "dangling-link": ("link", FileNotFoundError),
}


@pytest.mark.parametrize(("path", "error"), UNWRITABLE.values(), ids=UNWRITABLE)
def test_python_refuses_a_path_at_once(directory: Path, path: str, error: type[Exception]) -> None:
    """Who enables reproducers learns that there will be none, not who needs one."""
    Path("link").symlink_to("absent/r.mlir")
    with pytest.raises(error):
        CrashReproducer(path)


def test_a_directory_that_goes_away_does_not_hide_the_failure(directory: Path) -> None:
    """What cannot be known before the run is in the note."""
    Path("d").mkdir()
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Fail())
    pm.add_instrumentation(CrashReproducer("d/r.mlir"))
    Path("d").rmdir()
    with pytest.raises(PassFailedError) as caught:
        pm.run(parse_toy("toy.module"))
    (note,) = caught.value.__notes__
    assert note == (
        "Pipeline failed while executing [`Fail` on 'toy.module' operation]: "
        "failed to create output stream: Failed to create reproducer stream: "
        "cannot open output file 'd/r.mlir': No such file or directory"
    )


# -- Writing whole files -----------------------------------------------------------------------------


def test_a_file_that_cannot_be_replaced_is_overwritten(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be created beside it, all of it is written in place."""
    check_writable("r.mlir")

    def refuse(target: Path, data: bytes) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(whole_files, "_replace", refuse)
    write_whole(Path("r.mlir"), "new")
    assert Path("r.mlir").read_text() == "new"
