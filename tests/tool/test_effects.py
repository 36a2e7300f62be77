"""The rules under "What is trusted" in docs/debugging.md: files run nothing that is not allowed."""

from __future__ import annotations

import re
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import only_error

from passel import PassManager
from passel.errors import EffectsError
from passel.instruments.reproducer_file import reproducer_text
from passel.mlir import MLIRAdapter
from passel.passes.definition import EFFECTS
from passel.tool import report

if TYPE_CHECKING:
    from tool_fixtures import Outcome, Tool

MODULE = "module {\n  func.func @f() {\n    return\n  }\n}"

SHELL = "mlir-opt{arguments={-c,touch${IFS}made;cat} executable=/bin/sh}"
SNAPSHOT = "snapshot-op-locations{filename=made}"

PLUGIN = '''\
from pathlib import Path
from passel import OpPassManager, Pass, PassFailure

Path("loaded").touch()


class Touch(Pass):
    """Make a file."""

    name = "touch"
    effects = ("write-files",)

    def initialize(self, context):
        Path("made").touch()

    def run(self, op, ctx):
        Path("made").touch()


class Silent(Touch):
    """Make a file without a word."""

    name = "silent"
    effects = ()


class RunTouch(Pass):
    """Run `touch` without showing it in its options."""

    name = "run-touch"

    def run(self, op, ctx):
        if not ctx.run_pipeline(OpPassManager().add(Touch())):
            raise PassFailure("it failed inside")
'''


@pytest.fixture(autouse=True)
def _plugin(tool: Tool) -> None:  # `tool` has changed the directory
    assert tool
    Path("plugin.py").write_text(PLUGIN)


def replay(tool: Tool, pipeline: str, *flags: str) -> Outcome:
    """Replay a file that records a pipeline, with the plugin."""
    Path("r.mlir").write_text(reproducer_text(MODULE, pipeline))
    return tool("--run-reproducer", "r.mlir", "--load-pass-plugin=plugin.py", *flags)


XDSL = {
    "plain": SHELL,
    "in-a-nested-pipeline": "func.func(touch)",
    "in-an-option": "composite-fixed-point-pass{pipeline=touch}",
    "across": f"mlir({SNAPSHOT})",
    "declared": "touch",
    "dynamic": "run-touch",
}

MLIR = {
    "plain": SNAPSHOT,
    "in-an-option": f"inline{{default-pipeline={SNAPSHOT}}}",
    "in-a-quoted-option": f"inline{{op-pipelines={{func.func({SNAPSHOT})}}}}",
    "in-an-option-across": f"xdsl(composite-fixed-point-pass{{pipeline={{{SHELL}}}}})",
    "across": f"xdsl({SHELL})",
    "declared": "touch",
    "dynamic": "run-touch",
}

CASES = [
    *(pytest.param("xdsl", text, id=f"xdsl-{name}") for name, text in XDSL.items()),
    *(pytest.param("mlir", text, id=f"mlir-{name}") for name, text in MLIR.items()),
]


DOES = (
    "pass '(mlir-opt' runs programs|snapshot-op-locations' writes files|touch' writes files)",
    "pass 'inline' writes files",
)
"""What errors say of passes that have effects themselves, and of those that hold such passes."""


@pytest.mark.parametrize(("ir", "passes"), CASES)
def test_a_recorded_pipeline_with_effects_is_refused(tool: Tool, ir: str, passes: str) -> None:
    """One error names the pass, its effects, and the flag with which the pipeline runs."""
    outcome = replay(tool, f"builtin.module({passes})", f"--ir={ir}")
    assert outcome.code == 1
    assert not Path("made").exists()
    assert outcome.err.count("error: ") == 1
    assert "--allow-effects=" in outcome.err
    assert re.search(DOES[passes.count("inline")], outcome.err)
    flag = "--allow-effects=run-programs,write-files"
    outcome = replay(tool, f"builtin.module({passes})", f"--ir={ir}", flag)
    assert "trust the file" not in outcome.err
    assert Path("made").exists()


def test_all_effects_are_named_at_once(tool: Tool) -> None:
    """Several passes make one error, with one flag for all of them."""
    outcome = replay(tool, "builtin.module(mlir-opt,cse,apply-pdl{pdl-file=x},mlir-opt)")
    assert (
        "error: pass 'mlir-opt' runs programs and pass 'apply-pdl' reads files; if you trust the file, use --allow-effects=read-files,run-programs or, in"
    ) in outcome.err.splitlines()[0]


def test_passes_without_effects_need_no_flag(tool: Tool) -> None:
    """A pass that keeps to the IR runs, as does what the user typed instead."""
    assert replay(tool, "builtin.module(cse)").code == 0
    assert replay(tool, "builtin.module(mlir-opt)", "-p", "builtin.module(touch)").code == 0
    assert Path("made").exists()


def test_unknown_effects_are_refused(tool: Tool) -> None:
    """A wrong name is an error that lists those that there are and suggests one."""
    outcome = replay(tool, "builtin.module(cse)", "--allow-effects=write-file")
    assert outcome.code == 1
    assert "there is no effect 'write-file'" in outcome.err
    assert "did you mean 'write-files'?" in outcome.err
    assert all(name in outcome.err for name in EFFECTS)


def test_the_command_to_replay_allows_what_it_needs(tool: Tool) -> None:
    """The command that replays a failure has the flag that allows its effects."""
    outcome = tool(
        *("in.mlir", "-p", "builtin.module(mlir-opt{executable=/bin/false})"),
        "--mlir-pass-pipeline-crash-reproducer=r.mlir",
    )
    (line,) = [line for line in outcome.err.splitlines() if "to replay: " in line]
    _, *command = shlex.split(line.partition("to replay: ")[2])
    assert "--allow-effects=run-programs" in command
    assert "Error executing mlir-opt pass" in tool(*command).err


def test_looking_a_pass_up_does_not_run_it(tool: Tool) -> None:
    """Finding out about one of MLIR's passes leaves no file behind, wherever it would write it."""
    before = set(Path(tempfile.gettempdir()).glob("mlir_snapshot-*"))
    replay(tool, "builtin.module(snapshot-op-locations)", "--ir=mlir")
    assert set(Path(tempfile.gettempdir()).glob("mlir_snapshot-*")) == before


def test_the_check_holds_for_every_pipeline_from_a_file() -> None:
    """In Python, a restricted manager refuses the pipeline before anything runs."""
    pm = PassManager.parse(f"builtin.module({SNAPSHOT})", adapter=MLIRAdapter())
    pm.restrict_effects()
    with pytest.raises(EffectsError, match="pass 'snapshot-op-locations' writes files"):
        pm.check()
    pm.restrict_effects("write-files")
    pm.check()


@pytest.mark.parametrize(
    ("ir", "passes"),
    [
        pytest.param("mlir", "gpu-lower-to-nvvm-pipeline", id="mlir"),
        pytest.param("xdsl", "mlir(gpu-lower-to-xevm-pipeline)", id="xdsl"),
    ],
)
def test_registered_pipelines_are_looked_through(tool: Tool, ir: str, passes: str) -> None:
    """The passes that a name stands for count, and the error names them."""
    outcome = replay(tool, f"builtin.module({passes})", f"--ir={ir}")
    assert outcome.code == 1
    assert "pass 'gpu-module-to-binary' reads files and runs programs and writes" in outcome.err


# -- What is trusted ---------------------------------------------------------------------------


@pytest.mark.parametrize("adapter", ["xdsl", "mlir"])
def test_a_record_runs_only_if_that_is_asked_for(tool: Tool, adapter: str) -> None:
    """IR and its resources choose no pass without `--run-reproducer`."""
    common = (f"--ir={adapter}", "--load-pass-plugin=plugin.py")
    assert tool(*common, stdin=reproducer_text(MODULE, "builtin.module(silent)")).code == 0
    assert not Path("made").exists()
    assert (
        tool(
            *common, "--run-reproducer", stdin=reproducer_text(MODULE, "builtin.module(silent)")
        ).code
        == 0
    )
    assert Path("made").exists()


def test_reproducers_name_no_plugin(tool: Tool) -> None:
    """A pass of a plugin that the command line does not load is unknown."""
    Path("plugin.py").write_text(PLUGIN.replace('"silent"', '"aside"'))
    error = only_error(
        tool("--run-reproducer", stdin=reproducer_text(MODULE, "builtin.module(aside)"))
    )
    assert "'aside' does not refer to a registered pass" in error
    assert not Path("loaded").exists()


def test_reading_a_record_runs_nothing(
    tool: Tool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pages about a record are made without the plugin whose passes are in it."""
    record = str(tmp_path / "run.record")
    common = ("--load-pass-plugin=plugin.py", "-p", "builtin.module(silent)")
    assert tool(*common, f"--record={record}", stdin=b"module {}").code == 0
    for name in ("loaded", "made"):
        Path(name).unlink()
    assert report.main([record]) == 0
    assert "silent" in capsys.readouterr().out
    assert not Path("loaded").exists()
    assert not Path("made").exists()


def test_a_record_as_the_input_runs_no_pass_that_declares_effects(tool: Tool) -> None:
    """What goes on from a record is a pipeline from a file."""
    common = ("--load-pass-plugin=plugin.py", "-p", "builtin.module(cse,touch)")
    assert tool(*common, "--record=run.record", stdin=b"module {}").code == 0
    Path("made").unlink()
    error = only_error(tool("run.record", "--load-pass-plugin=plugin.py", "--start-after=cse"))
    assert "if you trust the file" in error
    assert not Path("made").exists()
