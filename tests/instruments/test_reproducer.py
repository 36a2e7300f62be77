"""Reproducers: when they are written, what is in them, that they replay, and that none is cut off."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from tool_fixtures import Outcome, recorded_pipeline
from xdsl.dialects.func import FuncOp

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.instruments import reproducer, whole_files
from passel.instruments.reproducer import CrashReproducer
from passel.instruments.whole_files import check_writable, write_whole
from passel.testing import ToyAdapter, ToyOp, parse_toy
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import Tool

    from passel.ir import PrintFlags

PLUGIN = '''\
import os, signal, sys, time
from xdsl.dialects.func import FuncOp
from passel import OpPassManager, Pass, PassFailure


class Act(Pass):
    """Do what one should not."""

    name = "act"
    how: str = "fail"

    def initialize(self, context):
        if self.how == "initialize":
            raise ValueError("no table")

    def run(self, op, ctx):
        match self.how:
            case "fail":
                raise PassFailure("not this one")
            case "interrupt":
                raise KeyboardInterrupt
            case "wait":
                print("waiting", flush=True)
                for _ in range(6000):  # a signal just before one long call would wait for its end
                    time.sleep(0.01)
            case "exit":
                sys.exit(0)
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "segfault":
                os.kill(os.getpid(), signal.SIGSEGV)


class RunAct(Pass):
    """Run `act` on the functions inside."""

    name = "run-act"
    lenient: bool = False

    def run(self, op, ctx):
        for inner in list(op.walk()):
            if isinstance(inner, FuncOp):
                ran = ctx.run_pipeline(OpPassManager("func.func").add(Act()), inner)
                if not ran and not self.lenient:
                    raise PassFailure("it failed inside")


class RunBoth(Pass):
    """Run a pass that handles a failure, and one that fails."""

    name = "run-both"

    def run(self, op, ctx):
        if not ctx.run_pipeline(OpPassManager(op.name).add(RunAct(lenient=True), Act())):
            raise PassFailure("it failed inside")
'''

FUNCTIONS = "func.func @a() { return }\nfunc.func @b() { return }\n"

PLUGIN_FLAG = "--load-pass-plugin=plugin.py"
REPRODUCER = "--mlir-pass-pipeline-crash-reproducer=r.mlir"
LOCAL = "--mlir-pass-pipeline-local-reproducer"
TOOL = (sys.executable, "-m", "passel", PLUGIN_FLAG)

Run: TypeAlias = "Callable[..., Outcome]"


@pytest.fixture
def directory(tmp_path: Path, tool: Tool) -> Path:
    """The tool's directory, with a plugin and an input."""
    Path("plugin.py").write_text(PLUGIN)
    Path("in.mlir").write_text(FUNCTIONS)
    return tmp_path


@pytest.fixture
def opt(tool: Tool, directory: Path) -> Run:
    """The tool with the plugin."""
    return lambda *words: tool(PLUGIN_FLAG, *words)


@pytest.fixture
def write(opt: Run) -> Run:
    """The tool that runs a pipeline on the input such that it leaves `r.mlir` behind."""
    return lambda *words: opt("in.mlir", REPRODUCER, "-p", *words)


def process(*command: str | Path, **how: Any) -> Outcome:
    """Run a command in a process of its own, which may die."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **how)
    return Outcome(done.returncode, done.stdout, done.stderr)


def names(directory: Path) -> list[str]:
    """Return the names of the files that are there, but for Python's."""
    return sorted(path.name for path in directory.iterdir() if path.name != "__pycache__")


GIVEN = ["in.mlir", "plugin.py", "r.mlir"]


def messages(result: Outcome) -> list[str]:
    """Return the messages of failures, without places and without what is about the file."""
    found: list[str] = []
    for line in result.err.splitlines():
        if "was interrupted by" in line:
            found.append(line.partition("op pass")[2].partition(" [")[0])
        elif ": error: " in line and "Failures have been" not in line:
            found.append(line.partition(": error: ")[2])
    return found


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize(("how", "code"), [("initialize", 1), ("interrupt", 130), ("exit", 1)])
def test_a_failure_replays_as_the_same_failure(
    opt: Run, write: Run, directory: Path, how: str, code: int, local: bool
) -> None:
    """Kind, pass, message, place and exit code are the same when the file is run."""
    words = [LOCAL] * local
    first = write(f"builtin.module(cse,func.func(act{{how={how}}}))", *words)
    again = opt("--run-reproducer", "r.mlir")
    assert (first.code, again.code) == (code, code)
    assert messages(first) == messages(again) != []
    place = "in.mlir:0:0" if how == "initialize" else "in.mlir:1:1"
    assert f"{place}: error: Failures have been detected" in first.err
    assert f"{place}: note: Pipeline failed while executing" in first.err
    assert not Path("r.mlir.running").exists()


@pytest.mark.parametrize(("how", "local"), [("kill", False), ("segfault", True)])
def test_a_process_that_dies_leaves_the_file_that_was_written_ahead(
    directory: Path, programs: Path, how: str, local: bool
) -> None:
    """An older file is kept, and the file next to it makes the process die again."""
    Path("r.mlir").write_text("older")
    tool = (programs / "passel-opt", PLUGIN_FLAG)
    pipeline = f"builtin.module(func.func(act{{how={how}}}))"
    first = process(*tool, "in.mlir", "-p", pipeline, REPRODUCER, *[LOCAL] * local)
    again = process(*tool, "--run-reproducer", "r.mlir.running")
    assert first.code == again.code < 0
    assert Path("r.mlir").read_text() == "older"


def test_what_a_dead_process_left_is_kept(write: Run, directory: Path) -> None:
    """The next run writes in advance to another file."""
    Path("r.mlir.running").write_text("left")
    assert write("builtin.module(act)").code == 1
    assert Path("r.mlir.running").read_text() == "left"
    assert sorted(p.name for p in directory.glob("r.mlir*")) == ["r.mlir", "r.mlir.running"]


def test_a_pipeline_inside_of_a_pass_is_recorded_as_the_pass_or_as_the_one_that_failed(
    write: Run,
    directory: Path,
) -> None:
    """Global records the outer pass, local the inner one; the note names both, or the inner."""
    result = write("builtin.module(cse,run-act)")
    assert (
        "[`RunAct` on 'builtin.module' operation, `Act` on 'func.func' operation: @a]" in result.err
    )
    text = Path("r.mlir").read_text()
    assert recorded_pipeline(text) == "builtin.module(cse, run-act{lenient=false})"
    result = write("builtin.module(cse,run-act)", LOCAL)
    assert "while executing `Act` on 'func.func' operation: @a: reproducer" in result.err
    text = Path("r.mlir").read_text()
    assert recorded_pipeline(text) == "builtin.module(func.func(act{how=fail}))"


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
def test_a_failure_that_a_pass_handles_is_none(write: Run, directory: Path, local: bool) -> None:
    """A run that handles the failure leaves no file; a later failure is the one that is recorded."""
    words = [LOCAL] * local
    assert write("builtin.module(run-act{lenient=true})", *words).code == 0
    assert not list(directory.glob("r.mlir*"))
    result = write("builtin.module(run-act{lenient=true},act{how=fail})", *words)
    assert "`RunAct`" not in result.err
    assert "act{how=fail}" in recorded_pipeline(Path("r.mlir").read_text())
    write("builtin.module(run-both)", *words)
    recorded = "act{how=fail}" if local else "run-both"
    assert recorded_pipeline(Path("r.mlir").read_text()) == f"builtin.module({recorded})"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGHUP, 129), (signal.SIGTERM, 143)])
def test_a_signal_leaves_the_reproducer_alone(
    directory: Path, number: signal.Signals, code: int
) -> None:
    """Signals end the tool like Ctrl-C: the file is complete, and no other file is left."""
    Path("r.mlir").write_text("older")
    with subprocess.Popen(
        [*TOOL, "in.mlir", "-p", "any(act{how=wait})", REPRODUCER, "-o", "out.mlir"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whatever the suite was started with; there is one thread.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509
    ) as tool:
        assert tool.stdout is not None
        assert tool.stdout.readline() == "waiting\n"
        tool.send_signal(number)
        _, err = tool.communicate(timeout=60)
    assert tool.returncode == code
    assert "passel-opt: terminated: " in err
    assert "'act{how=wait}' was interrupted by Termination" in err
    assert "builtin.module(act{how=wait})" in Path("r.mlir").read_text()
    assert Path("r.mlir").read_text().endswith("#-}\n")
    assert names(directory) == GIVEN


def test_a_full_disk_leaves_the_older_file(directory: Path) -> None:
    """The note says why there is no new one."""
    Path("r.mlir").write_text("older")
    done = process(
        *(*TOOL, "in.mlir", "-p", "any(act)", REPRODUCER, LOCAL),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20)),
    )
    assert done.code == 1
    assert "cannot open output file 'r.mlir': File too large\n" in done.err
    assert "to replay: passel-opt --run-reproducer" not in done.err
    assert Path("r.mlir").read_text() == "older"
    assert names(directory) == GIVEN


def test_what_was_written_ahead_will_do(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full when the run fails, the file written in advance is used."""

    def write(path: Path, text: str) -> None:
        if path.name == "r.mlir":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        path.write_text(text)

    monkeypatch.setattr(reproducer, "write_whole", write)
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Refuse())
    error = error_of(pm, parse_toy("toy.module"), Path("r.mlir"))
    assert error.reproducer == Path("r.mlir").absolute()
    assert "refuse{text=no}" in Path("r.mlir").read_text()
    assert names(directory) == GIVEN


# -- Paths that cannot be written --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "error"),
    [
        *(("absent/r.mlir", FileNotFoundError), ("link", FileNotFoundError), ("r" * 300, OSError)),
        *((".", IsADirectoryError), ("in.mlir/r.mlir", NotADirectoryError), ("\0", ValueError)),
    ],
)
def test_python_refuses_a_path_at_once(directory: Path, path: str, error: type[Exception]) -> None:
    """An invalid path is an error when the instrumentation is created, not after a failure."""
    Path("link").symlink_to("absent/r.mlir")
    with pytest.raises(error):
        CrashReproducer(path)


def test_a_directory_that_goes_away_does_not_hide_the_failure(directory: Path) -> None:
    """A problem that appears during the run is reported in the note."""
    Path("d").mkdir()
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Refuse())
    pm.add_instrumentation(CrashReproducer("d/r.mlir"))
    Path("d").rmdir()
    with pytest.raises(PassFailedError) as caught:
        pm.run(parse_toy("toy.module"))
    (note,) = caught.value.__notes__
    assert note.endswith("cannot open output file 'd/r.mlir': No such file or directory")


# -- From Python -------------------------------------------------------------------------------


class Refuse(Pass[Any]):
    """Fail."""

    name = "refuse"
    text: str = "no"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure(self.text)


def error_of(pm: PassManager, op: Any, file: Path) -> PassFailedError:
    """Return the error of a run that leaves a reproducer behind."""
    pm.add_instrumentation(CrashReproducer(file))
    with pytest.raises(PassFailedError) as caught:
        pm.run(op)
    return caught.value


def test_a_printer_that_raises_does_not_hide_the_failure(tmp_path: Path) -> None:
    """The note says that the IR could not be printed, and why."""

    class Unprintable(ToyAdapter):
        def print_op(self, op: ToyOp, flags: PrintFlags) -> str:
            raise RuntimeError("no ink")

    pm = PassManager("toy.module", adapter=Unprintable()).add(Refuse())
    (note,) = error_of(pm, parse_toy("toy.module()"), tmp_path / "r").__notes__
    assert note.endswith(" operation]: failed to print the IR: RuntimeError: no ink")


def test_a_command_is_words(tmp_path: Path) -> None:
    """A text would be taken for words of one letter."""
    with pytest.raises(TypeError, match=r"words of a command, like \['my-opt'\], not 'my-opt"):
        CrashReproducer(tmp_path / "r", replay="my-opt {file}")


def test_the_op_may_be_no_module(tmp_path: Path) -> None:
    """The anchor is the name of the op; the error has the file, and the note with the command."""
    op = parse_source(XDSLAdapter().create_context(), FUNCTIONS, "in.mlir")
    function = next(inner for inner in op.walk() if isinstance(inner, FuncOp))
    error = error_of(PassManager().add(Refuse(text="ö")), function, file := tmp_path / "r.mlir")
    assert error.reproducer == file
    assert recorded_pipeline(file.read_text()) == r"func.func(refuse{text=\C3\B6})"
    where, replay = error.__notes__[0].splitlines()
    assert where.endswith(
        f"[`Refuse` on 'func.func' operation: @a]: reproducer generated at `{file}`"
    )
    assert replay.endswith(f" --no-implicit-module {file}")
    assert [each.message for each in error.diagnostics[1:]] == [
        "Failures have been detected while processing an MLIR pass pipeline"
    ]


CUSTOM = "func.func @f(%i : index) { scf.for %j = %i to %i step %i { scf.yield } return }"
GENERIC = CUSTOM.replace("scf.yield", '"scf.yield"() {a} : () -> ()')
RESOURCE = """\
  func.func @f() {
    %a = arith.constant dense_resource<blob> : tensor<2xi8>
    return
  }
  {-# dialect_resources: { builtin: { blob: "0x08000000010203" } } #-}
"""


@pytest.mark.parametrize(
    ("source", "line"),
    [(CUSTOM, "scf.for"), (GENERIC, '"scf.for"'), (RESOURCE, 'blob: "0x08000000010203"')],
    ids=["custom", "generic", "resource"],
)
def test_the_form_is_custom_if_that_loses_nothing(tmp_path: Path, source: str, line: str) -> None:
    """Generic form is used if custom form would lose attributes or resources."""
    op = parse_source(context := XDSLAdapter().create_context(), source, "in.mlir")
    error_of(PassManager("builtin.module", context).add(Refuse()), op, tmp_path / "r.mlir")
    lines = (tmp_path / "r.mlir").read_text().splitlines()
    assert any(each.strip().startswith(line) for each in lines)


def test_a_file_that_cannot_be_replaced_is_overwritten(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If no file can be created next to the target, the target is overwritten."""

    def refuse(target: Path, data: bytes) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    Path("r.mlir").write_text("older")
    check_writable("r.mlir")
    monkeypatch.setattr(whole_files, "_replace", refuse)
    write_whole(Path("r.mlir"), "new")
    assert Path("r.mlir").read_text() == "new"
