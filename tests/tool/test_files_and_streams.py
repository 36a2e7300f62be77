"""Files, streams and signals: nothing is cut off, overwritten or waited for without a word."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import only_error

if TYPE_CHECKING:
    from tool_fixtures import Start, Tool

# More than a pipe holds, or the limit for files below.
LARGE = f'builtin.module attributes {{text = "{"x" * 100_000}"}} {{\n}}\n'

needs_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


# -- The standard output ---------------------------------------------------------------------


@pytest.mark.parametrize(("flags", "unbuffered"), [((), ""), (("--compat=xdsl",), "1")])
def test_a_disk_that_is_full(tmp_path: Path, flags: tuple[str, ...], unbuffered: str) -> None:
    """Output that does not fit is an error in one line, also where Python writes only once."""
    (tmp_path / "in.mlir").write_text(LARGE)
    command = [sys.executable, "-m", "passel", "in.mlir", *flags]
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 64; "$@" > out.mlir', "sh", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "passel-opt: error: cannot write to standard output: File too large\n"


def test_a_pipe_that_does_not_block(tmp_path: Path, programs: Path) -> None:
    """All of the output arrives, however slowly it is read."""
    (tmp_path / "in.mlir").write_text(LARGE)
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    with subprocess.Popen(
        [programs / "passel-opt", "in.mlir"],
        cwd=tmp_path,
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(write_end)
        with open(read_end, encoding="utf-8") as pipe:  # noqa: PTH123 - a descriptor
            text = pipe.read()
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert text == f"{LARGE}\n"


@pytest.mark.parametrize(("source", "code"), [("", 0), ("%", 1)], ids=["valid", "invalid"])
def test_a_closed_error_stream(start: Start, tmp_path: Path, source: str, code: int) -> None:
    """Without an error stream the tool does its work and exits as always."""
    (tmp_path / "in.mlir").write_text(source)
    process = start("in.mlir", "-o", "out.mlir", piped="2>&-")
    assert (process.communicate(timeout=60), process.returncode) == (("", ""), code)
    assert (tmp_path / "out.mlir").exists() == (code == 0)


def test_closed_streams_are_not_reused(start: Start, tmp_path: Path) -> None:
    """A file that the tool opens does not get what native code writes to a closed stream."""
    flags = ("in.mlir", "-o=out.mlir", "--log-actions-to=log", "--cse", "--load-pass-plugin=p.py")
    plugin = (
        "import os\nos.write(1, b'stray')\nos.write(2, b'stray')\ndef register_dialects(_): pass\n"
    )
    (tmp_path / "p.py").write_text(plugin)
    process = start(*flags, piped="<&- >&- 2>&-")
    assert (process.communicate(timeout=60), process.returncode) == (("", ""), 0)
    assert "stray" not in (tmp_path / "log").read_text() + (tmp_path / "out.mlir").read_text()


_SLEEPER = """\
import time
from passel import Pass

class Sleep(Pass):
    name = "sleep-long"

    def run(self, op, ctx):
        print("asleep", flush=True)
        time.sleep(60)
"""


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_ctrl_c_during_a_pass(start: Start, tmp_path: Path, ir: str) -> None:
    """Ctrl-C names the pass that was running, and leaves no output file."""
    (tmp_path / "plugin.py").write_text(_SLEEPER)
    process = start(
        *(f"--ir={ir}", "in.mlir", "--load-pass-plugin=plugin.py"),
        *("--sleep-long", "-o", "out.mlir"),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "asleep\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.startswith("passel-opt: interrupted: in.mlir:0:0: 'builtin.module' op pass")
    assert "'sleep-long' was interrupted" in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == [
        "in.mlir",
        "plugin.py",
    ]


def test_reader_that_has_had_enough(start: Start, tmp_path: Path) -> None:
    """A closed pipe ends the tool without a word."""
    (tmp_path / "in.mlir").write_text(LARGE)
    out, err = start("in.mlir", piped="| head -c 14").communicate(timeout=60)
    assert (out, err) == ("builtin.module", "")


@pytest.mark.parametrize(
    ("arguments", "closed", "said"),
    [
        ((), "<&-", "there is no input: no file is given and standard input is closed"),
        (("in.mlir",), ">&-", "cannot write the output: standard output is closed"),
    ],
    ids=["input", "output"],
)
def test_closed_streams(start: Start, arguments: tuple[str, ...], closed: str, said: str) -> None:
    """A standard stream that is closed is named, and no other is used in its place."""
    process = start(*arguments, piped=closed)
    outcome = process.communicate(timeout=60)
    assert (process.returncode, *outcome) == (1, "", f"passel-opt: error: {said}\n")


# -- Named pipes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "flags",
    [
        ("-o=pipe",),
        ("--log-actions-to=pipe", "-o=/dev/null"),
        ("--profile-actions-to=pipe", "-o=/dev/null"),
        ("--info-output-file=pipe", "--mlir-timing", "-o=/dev/null"),
        ("--mlir-generate-reproducer=pipe", "-o=/dev/null"),
    ],
    ids=["output", "log", "trace", "info", "reproducer"],
)
def test_named_pipes(tool: Tool, flags: tuple[str, ...]) -> None:
    """A pipe is opened once: its reader gets everything, and no second one is waited for."""
    os.mkfifo("pipe")
    found: list[str] = []
    reader = Thread(target=lambda: found.append(Path("pipe").read_text()), daemon=True)
    reader.start()
    assert tool("in.mlir", "--cse", *flags) == (0, "", "")
    reader.join(timeout=30)
    assert len(found[0]) > 10


# -- The input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flag", "path", "result", "why"),
    [
        ("profile-actions-to", "./link.mlir", "-", "would overwrite the input"),
        ("info-output-file", "./new", "new", "and '-o new' are the same file"),
        ("record", "in.mlir", "-", "would overwrite the input"),
        ("mlir-pass-pipeline-crash-reproducer", "in.mlir", "-", "would overwrite the input"),
        ("mlir-generate-reproducer", "-", "-", "is not supported: give the name of a file"),
    ],
)
def test_reports_do_not_go_to_the_input_or_the_result(
    tool: Tool, flag: str, path: str, result: str, why: str
) -> None:
    """A report into one of these files is refused before that is touched, whatever its name."""
    Path("link.mlir").symlink_to("in.mlir")
    before = Path("in.mlir").read_text()
    arguments = ("in.mlir", "--cse", "--mlir-timing", "-o", result)
    error = only_error(tool(*arguments, f"--{flag}={path}"))
    assert error == f"passel-opt: error: '--{flag}={path}' {why}\n"
    assert Path("in.mlir").read_text() == before
    assert not Path("new").exists()


def test_reports_do_not_go_to_what_is_piped_in(programs: Path, tmp_path: Path) -> None:
    """The same holds for a file that the standard input is redirected from."""
    (tmp_path / "in.mlir").write_text(LARGE)
    command = [programs / "passel-opt", "-", "--log-actions-to=in.mlir"]
    with (tmp_path / "in.mlir").open() as source:
        done = subprocess.run(
            command, cwd=tmp_path, stdin=source, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (
        done.stderr == "passel-opt: error: '--log-actions-to=in.mlir' would overwrite the input\n"
    )
    assert (tmp_path / "in.mlir").read_text() == LARGE


# -- Names and places ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flag", "name", "reason"),
    [
        ("-o", "missing/", "Is a directory"),
        ("-o", "x" * 300, "File name too long"),
        ("-o", "a\0b", "embedded null"),  # a byte or, in newer Pythons, a character of a path
        ("--log-actions-to", "gone/out.mlir", "No such file or directory"),
        ("--mlir-generate-reproducer", "gone/out.mlir", "No such file or directory"),
    ],
)
def test_names_that_no_file_can_have(tool: Tool, flag: str, name: str, reason: str) -> None:
    """The file is named with the reason, before anything is done, and none is made."""
    error = only_error(tool("absent.mlir", f"{flag}={name}"))
    assert error.startswith(f"passel-opt: error: cannot open output file '{name}': ")
    assert reason in error
    assert [path.name for path in Path().iterdir()] == ["in.mlir"]


@needs_full_device
@pytest.mark.parametrize("flag", ["log-actions-to", "profile-actions-to", "info-output-file"])
def test_reports_to_a_full_device(tool: Tool, flag: str) -> None:
    """A report that cannot be written is one line, after the result."""
    outcome = tool("in.mlir", "--cse", "--mlir-timing", f"--{flag}=/dev/full")
    assert "func.func @f" in outcome.out
    error = outcome.err
    if flag != "info-output-file":
        error = error[error.index("passel-opt: ") :]  # behind the timing
    assert error == (
        "passel-opt: error: cannot write output file '/dev/full': No space left on device\n"
    )
    assert outcome.code == 1


GOES = """
import os
from passel import Pass

class Goes(Pass):
    name = "goes"

    def run(self, op, ctx):
        os.makedirs("elsewhere", exist_ok=True)
        os.chdir("elsewhere")
"""


def test_a_pass_that_changes_the_directory(tool: Tool) -> None:
    """All files are where the command line says, of later parts of the input as well."""
    Path("plugin.py").write_text(GOES)
    Path("two.mlir").write_text("module @a {}\n// -----\nmodule @b {}\n")
    flags = ("--load-pass-plugin=plugin.py", "--goes", "--split-input-file", "-o=out.mlir")
    assert tool("two.mlir", *flags, "--mlir-generate-reproducer=made.mlir") == (0, "", "")
    assert {"out.mlir", "made.mlir", "made.1.mlir"} <= {path.name for path in Path().iterdir()}
