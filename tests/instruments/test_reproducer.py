"""Reproducers: when they are written, what is in them, and that they replay the failure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.instruments.reproducer import CrashReproducer
from passel.ir.resources import ExternalResource, print_resources
from passel.testing import ToyAdapter, ToyOp, parse_toy
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
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
            case "crash":
                raise KeyError("absent")
            case "interrupt":
                raise KeyboardInterrupt
            case "exit":
                sys.exit(0)
            case "invalid":
                op.regions[0].blocks[0].last_op.detach()
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "segfault":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "wait":
                print("waiting", flush=True)
                time.sleep(60)


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
'''

FUNCTIONS = "func.func @a() { return }\nfunc.func @b() { return }\n"

TOOL = (sys.executable, "-m", "passel", "--load-pass-plugin=plugin.py")


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of its own with a plugin and an input."""
    monkeypatch.chdir(tmp_path)
    Path("plugin.py").write_text(PLUGIN)
    Path("in.mlir").write_text(FUNCTIONS)
    return tmp_path


def opt(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the tool."""
    return subprocess.run([*TOOL, *words], capture_output=True, text=True, check=False, timeout=60)


def write(pipeline: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a pipeline on the input such that it leaves `r.mlir` behind."""
    return opt("in.mlir", "-p", pipeline, "--mlir-pass-pipeline-crash-reproducer=r.mlir", *words)


def messages(result: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the messages of failures, without places and without what is about the file."""
    found: list[str] = []
    for line in result.stderr.splitlines():
        if "was interrupted by" in line:
            found.append(line.partition("op pass")[2].partition(" [")[0])
        elif ": error: " in line and "Failures have been" not in line:
            found.append(line.partition(": error: ")[2])
    return found


def pipeline_of(text: str) -> str:
    """Return the pipeline that a reproducer records."""
    (line,) = [line for line in text.splitlines() if line.strip().startswith("pipeline: ")]
    return line.partition('"')[2].rpartition('"')[0]


# -- Every failure replays ---------------------------------------------------------------------


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("fail", 1),
        ("crash", 1),
        ("invalid", 1),
        ("initialize", 1),
        ("interrupt", 130),
        ("exit", 1),
    ],
)
def test_a_failure_replays_as_the_same_failure(
    directory: Path, how: str, code: int, local: bool
) -> None:
    """Kind, pass and message are the same when the file is run, and so is the exit code."""
    words = ["--mlir-pass-pipeline-local-reproducer"] * local
    first = write(f"builtin.module(cse,func.func(act{{how={how}}}))", *words)
    again = opt("--run-reproducer", "r.mlir")
    assert (first.returncode, again.returncode) == (code, code)
    assert messages(first) == messages(again) != []
    assert not Path("r.mlir.running").exists()


def test_an_op_that_may_not_run_a_pass_replays(directory: Path) -> None:
    """What is found unschedulable during the run is found so in the replay."""
    Path("in.mlir").write_text('"foo.op"() : () -> ()')
    flags = ("--allow-unregistered-dialect", "--no-implicit-module")
    first = write("any(cse)", *flags)
    assert "--allow-unregistered-dialect --no-implicit-module r.mlir" in first.stderr
    assert pipeline_of(Path("r.mlir").read_text()) == "foo.op(cse)"
    again = opt("--run-reproducer", *flags, "r.mlir")
    assert messages(first) == messages(again) != []


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize("how", ["kill", "segfault"])
def test_a_process_that_dies_leaves_the_file_that_was_written_ahead(
    directory: Path, how: str, local: bool
) -> None:
    """An older file stays, and what is left beside it makes the process die again."""
    Path("r.mlir").write_text("older")
    words = ["--mlir-pass-pipeline-local-reproducer"] * local
    first = write(f"builtin.module(func.func(act{{how={how}}}))", *words)
    again = opt("--run-reproducer", "r.mlir.running")
    assert first.returncode == again.returncode < 0
    assert Path("r.mlir").read_text() == "older"


def test_a_segmentation_fault_names_the_frame_in_python(directory: Path) -> None:
    """The last lines on the error stream lead to the pass."""
    result = opt("in.mlir", "-p", "builtin.module(func.func(act{how=segfault}))")
    assert "Segmentation fault" in result.stderr
    assert "plugin.py" in result.stderr


# -- When and where ------------------------------------------------------------------------------


def test_success_leaves_nothing(directory: Path) -> None:
    """Neither the file nor the one written ahead is there afterwards."""
    assert write("builtin.module(cse)").returncode == 0
    assert not list(directory.glob("r.mlir*"))


def test_success_leaves_an_older_file_alone(directory: Path) -> None:
    """A reproducer is not lost because another run went well."""
    Path("r.mlir").write_text("older")
    assert write("builtin.module(cse)").returncode == 0
    assert Path("r.mlir").read_text() == "older"


def test_what_a_dead_process_left_is_kept(directory: Path) -> None:
    """The next run writes ahead to another file."""
    Path("r.mlir.running").write_text("left")
    assert write("builtin.module(act)").returncode == 1
    assert Path("r.mlir.running").read_text() == "left"
    assert sorted(p.name for p in directory.glob("r.mlir*")) == ["r.mlir", "r.mlir.running"]


def test_several_failures_are_one_error_and_one_file(directory: Path) -> None:
    """The note names every pass that failed."""
    result = write("builtin.module(func.func(act))")
    assert result.stderr.count("Failures have been detected") == 1
    assert (
        "[`Act` on 'func.func' operation: @a, `Act` on 'func.func' operation: @b]: "
        "reproducer generated at `r.mlir`"
    ) in result.stderr


def test_parts_of_split_input_have_files_of_their_own(directory: Path) -> None:
    """The second part that fails gets a number, parts that succeed take none."""
    part = "func.func @f() { return }\n"
    bad = part.replace("@f", "@bad")
    Path("in.mlir").write_text(f"\n// -----\n{bad}// -----\n{part}// -----\n{bad}")
    Path("plugin.py").write_text(
        PLUGIN.replace('raise PassFailure("not this one")', "if 'bad' in str(op): raise KeyError()")
    )
    result = write("builtin.module(func.func(act))", "--split-input-file")
    assert result.stderr.count("reproducer generated at") == 2
    assert sorted(p.name for p in directory.glob("r*.mlir*")) == ["r.1.mlir", "r.mlir"]


def test_a_device_is_written_to_only_on_failure(directory: Path) -> None:
    """There is no file beside a device; it gets the text when the run fails."""
    result = opt("in.mlir", "-p", "any(act)", "--mlir-pass-pipeline-crash-reproducer=/dev/stdout")
    assert "mlir_reproducer" in result.stdout


# -- What is recorded ----------------------------------------------------------------------------


def test_local_is_smaller_than_global(directory: Path) -> None:
    """If earlier passes shrink the IR, the local file has less of both IR and pipeline."""
    Path("in.mlir").write_text(
        "".join(f"func.func private @f{i}()\n" for i in range(50)) + FUNCTIONS
    )
    pipeline = "builtin.module(symbol-dce,func.func(cse,canonicalize,act))"
    write(pipeline)
    everything = Path("r.mlir").read_text()
    write(pipeline, "--mlir-pass-pipeline-local-reproducer")
    local = Path("r.mlir").read_text()
    assert len(local) < len(everything) / 3
    assert pipeline_of(local) == "builtin.module(func.func(act{how=fail}))"
    assert pipeline_of(everything).startswith("builtin.module(symbol-dce, func.func(cse,canon")


def test_a_pipeline_inside_of_a_pass_is_recorded_as_the_pass_or_as_the_one_that_failed(
    directory: Path,
) -> None:
    """Global records the outer pass, local the inner one; the note names both, or the inner."""
    result = write("builtin.module(cse,run-act)")
    assert (
        "[`RunAct` on 'builtin.module' operation, `Act` on 'func.func' operation: @a]"
        in result.stderr
    )
    text = Path("r.mlir").read_text()
    assert pipeline_of(text) == "builtin.module(cse, run-act{lenient=false})"
    result = write("builtin.module(cse,run-act)", "--mlir-pass-pipeline-local-reproducer")
    assert "while executing `Act` on 'func.func' operation: @a: reproducer" in result.stderr
    text = Path("r.mlir").read_text()
    assert pipeline_of(text) == "builtin.module(func.func(act{how=fail}))"


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
def test_a_failure_that_a_pass_handles_is_none(directory: Path, local: bool) -> None:
    """The run succeeds, so nothing is left; if it fails later, that is what is recorded."""
    words = ["--mlir-pass-pipeline-local-reproducer"] * local
    assert write("builtin.module(run-act{lenient=true})", *words).returncode == 0
    assert not list(directory.glob("r.mlir*"))
    result = write("builtin.module(run-act{lenient=true},act{how=crash})", *words)
    assert "`RunAct`" not in result.stderr
    assert "act{how=crash}" in pipeline_of(Path("r.mlir").read_text())


# -- In Python -----------------------------------------------------------------------------------


class Refuse(Pass[Any]):
    """Fail."""

    name = "refuse"
    text: str = ""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure(self.text)


class Interrupt(Pass[Any]):
    """Behave as if Ctrl-C were pressed."""

    name = "interrupt"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Raise it."""
        raise KeyboardInterrupt


class Grow(Pass[Operation]):
    """Fail on functions, after a change."""

    name = "grow"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure(f"{len(op.regions)} regions")


def toy_manager(*passes: Pass[Any], adapter: ToyAdapter | None = None) -> PassManager:
    """Return a manager for toy modules."""
    return PassManager("toy.module", adapter=adapter or ToyAdapter()).add(*passes)


def test_the_error_carries_the_file_and_the_notes(tmp_path: Path) -> None:
    """`reproducer` is the file; the notes are the ones of the diagnostic."""
    file = tmp_path / "a file"
    pm = toy_manager(Refuse(text="ö"))
    pm.enable_crash_reproducer(file)
    with pytest.raises(PassFailedError) as caught:
        pm.run(parse_toy("toy.module(toy.func @f)"))
    error = caught.value
    assert error.reproducer == file
    (note,) = error.__notes__
    where, how = note.splitlines()
    assert where.endswith(f"[`Refuse` on 'toy.module' operation]: reproducer generated at `{file}`")
    assert how == f"to replay: passel-opt --run-reproducer '{file}'"
    assert [d.message for d in error.diagnostics[1:]] == [
        "Failures have been detected while processing an MLIR pass pipeline"
    ]
    assert "\\C3\\B6" in file.read_text()


def test_without_a_reproducer_the_error_has_none() -> None:
    """The attribute is there and says so."""
    with pytest.raises(PassFailedError) as caught:
        toy_manager(Refuse()).run(parse_toy("toy.module()"))
    assert caught.value.reproducer is None


def test_an_interrupt_carries_the_notes(tmp_path: Path) -> None:
    """KeyboardInterrupt passes through with the same notes."""
    pm = toy_manager(Interrupt())
    pm.enable_crash_reproducer(tmp_path / "r")
    with pytest.raises(KeyboardInterrupt) as caught:
        pm.run(parse_toy("toy.module()"))
    assert any("reproducer generated at" in note for note in caught.value.__notes__)
    assert (tmp_path / "r").exists()


def test_a_printer_that_raises_does_not_hide_the_failure(tmp_path: Path) -> None:
    """The note says that the IR could not be printed, and how."""

    class Unprintable(ToyAdapter):
        def print_op(self, op: ToyOp, flags: PrintFlags) -> str:
            raise RuntimeError("no ink")

    pm = toy_manager(Refuse(), adapter=Unprintable())
    pm.enable_crash_reproducer(tmp_path / "r")
    with pytest.raises(PassFailedError) as caught:
        pm.run(parse_toy("toy.module()"))
    assert caught.value.failures[0].kind == "failed"
    (note,) = caught.value.__notes__
    assert note == (
        "Pipeline failed while executing [`Refuse` on 'toy.module' operation]: "
        "failed to print the IR: RuntimeError: no ink"
    )


def test_a_pass_without_a_name_is_said_to_be_no_replay(tmp_path: Path) -> None:
    """The file is written, and the note says what is missing."""

    class Nameless(Pass[Any]):
        def run(self, op: Any, ctx: PassContext) -> None:
            raise PassFailure("no")

    pm = toy_manager(Nameless())
    pm.enable_crash_reproducer(tmp_path / "r")
    with pytest.raises(PassFailedError) as caught:
        pm.run(parse_toy("toy.module()"))
    assert caught.value.__notes__[0].endswith(
        "\nit cannot be replayed: pass Nameless has no name; give it one and register it"
    )


@pytest.mark.parametrize("text", ['say "hi"', "back\\slash", "it's", "größer", "two words", "a,b"])
def test_option_text_survives_the_file(directory: Path, text: str) -> None:
    """Quotes, backslashes and what is not ASCII come back as they were."""
    op = parse_source(XDSLAdapter().create_context(), FUNCTIONS, "in.mlir")
    pm = PassManager("builtin.module").add(Refuse(text=text))
    pm.enable_crash_reproducer("r.mlir")
    with pytest.raises(PassFailedError, match="refuse"):
        pm.run(op)
    resources: list[ExternalResource] = []
    parse_source(
        XDSLAdapter().create_context(),
        Path("r.mlir").read_text(encoding="utf-8"),
        "r.mlir",
        resources=resources,
    )
    values = {resource.key: resource.value for resource in resources}
    recorded = values["pipeline"]
    assert isinstance(recorded, bytes)
    again = PassManager.parse(recorded.decode(), registry=_registry())
    assert str(again) == str(pm)


def _registry() -> Any:
    from passel.passes import PassRegistry

    registry = PassRegistry()
    registry.register(Refuse)
    return registry


def test_the_op_may_be_no_module(tmp_path: Path) -> None:
    """The anchor is the op's name, and the command says that it is not to be wrapped."""
    op = parse_source(XDSLAdapter().create_context(), FUNCTIONS, "in.mlir")
    function = next(inner for inner in op.walk() if isinstance(inner, FuncOp))
    pm = PassManager().add(Grow())
    pm.add_instrumentation(CrashReproducer(tmp_path / "r.mlir"))
    with pytest.raises(PassFailedError) as caught:
        pm.run(function)
    assert pipeline_of((tmp_path / "r.mlir").read_text()) == "func.func(grow)"
    assert caught.value.__notes__[0].endswith("r.mlir --no-implicit-module")


def test_a_dynamic_pipeline_on_an_op_that_no_pipeline_reaches_is_recorded_as_a_whole(
    tmp_path: Path,
) -> None:
    """Behind an op that is not isolated, local records what global does."""

    class Inside(Pass[ToyOp]):
        name = "inside"

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            if not ctx.run_pipeline(OpPassManager("toy.func").add(Refuse()), op.body[0].body[0]):
                raise PassFailure("inside")

    pm = toy_manager(Inside())
    pm.enable_crash_reproducer(tmp_path / "r", local=True)
    with pytest.raises(PassFailedError):
        pm.run(parse_toy("toy.module(toy.region(toy.func @f))"))
    assert pipeline_of((tmp_path / "r").read_text()) == "toy.module(inside)"


@pytest.mark.parametrize(
    ("source", "form"),
    [
        (
            "func.func @f(%i : index) { scf.for %j = %i to %i step %i { scf.yield } return }",
            "scf.for",
        ),
        (
            'func.func @f(%i:index) { scf.for %j = %i to %i step %i {"scf.yield"() {a} : () -> ()} return }',
            '"scf.for"',  # whose custom form leaves out the terminator, with its attribute
        ),
    ],
    ids=["custom", "generic"],
)
def test_the_form_is_custom_if_that_loses_nothing(tmp_path: Path, source: str, form: str) -> None:
    """What custom form would leave out is there, in generic form."""
    op = parse_source(XDSLAdapter().create_context(), source, "in.mlir")
    pm = PassManager().add(Refuse())
    pm.enable_crash_reproducer(tmp_path / "r.mlir")
    with pytest.raises(PassFailedError):
        pm.run(op)
    lines = (tmp_path / "r.mlir").read_text().splitlines()
    assert any(line.strip().startswith(form) for line in lines)


def test_resources_of_dialects_are_in_the_file(tmp_path: Path) -> None:
    """What the IR refers to at the end of its file is at the end of the reproducer."""
    source = """\
      func.func @f() {
        %a = arith.constant dense_resource<blob> : tensor<2xi8>
        return
      }
      {-# dialect_resources: { builtin: { blob: "0x08000000010203" } } #-}
    """
    context = XDSLAdapter().create_context()
    op = parse_source(context, source, "in.mlir")
    pm = PassManager("builtin.module", context).add(Refuse())
    pm.enable_crash_reproducer(tmp_path / "r.mlir")
    with pytest.raises(PassFailedError):
        pm.run(op)
    assert 'blob: "0x08000000010203"' in (tmp_path / "r.mlir").read_text()


def test_mlir_modules_have_reproducers_too(tmp_path: Path) -> None:
    """The IR is printed natively, and the command says whose it is."""
    ir = pytest.importorskip("mlir.ir")
    with ir.Context():
        module = ir.Module.parse("module attributes {t.a = dense<1> : tensor<2xi8>} {}")
        pm = PassManager().add(Refuse())
        pm.enable_crash_reproducer(tmp_path / "r.mlir", local=True)
        with pytest.raises(PassFailedError) as caught:
            pm.run(module)
    text = (tmp_path / "r.mlir").read_text()
    assert text.startswith("module attributes {t.a = dense<1> : tensor<2xi8>} {\n}\n\n{-#\n")
    assert pipeline_of(text).startswith("builtin.module(refuse{")
    assert caught.value.__notes__[0].endswith("r.mlir --ir=mlir")


def test_resources_are_printed_group_by_group() -> None:
    """What was spread over several blocks comes together, in the order of first mention."""
    text = print_resources(
        [
            ExternalResource("b", "x", value=True),
            ExternalResource("a", "two words", b"\xff"),
            ExternalResource("b", "y", value=False),
        ]
    )
    assert text.split() == [
        "{-#",
        "external_resources:",
        "{",
        "b:",
        "{",
        "x:",
        "true,",
        "y:",
        "false",
        "},",
        "a:",
        "{",
        '"two',
        'words":',
        '"\\FF"',
        "}",
        "}",
        "#-}",
    ]
