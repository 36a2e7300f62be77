"""The rules under "What is trusted" in docs/debugging.md, one after the other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import only_error

from passel.tool import report

if TYPE_CHECKING:
    from tool_fixtures import Tool

BOTH = pytest.mark.parametrize("adapter", ["xdsl", "mlir"])

PLUGIN = """
from pathlib import Path
from passel import OperationPass

Path("loaded").touch()

class Writes(OperationPass):
    name = "writes"
    anchor = "builtin.module"
    effects = ("write-files",)

    def run(self, op, ctx):
        Path("written").touch()

class Silent(Writes):
    name = "silent"
    effects = ()
"""


@pytest.fixture(autouse=True)
def _plugin(tool: Tool) -> None:  # `tool` has changed the directory
    assert tool
    Path("plugin.py").write_text(PLUGIN)
    for name in ("loaded", "written"):
        Path(name).unlink(missing_ok=True)


def _recorded(pipeline: str) -> bytes:
    record = f'{{-# external_resources: {{mlir_reproducer: {{pipeline: "{pipeline}"}}}} #-}}'
    return f"module {{}}\n{record}\n".encode()


@BOTH
def test_a_record_runs_only_if_that_is_asked_for(tool: Tool, adapter: str) -> None:
    """IR and its resources choose no pass without `--run-reproducer`."""
    common = (f"--ir={adapter}", "--load-pass-plugin=plugin.py")
    assert tool(*common, stdin=_recorded("builtin.module(silent)")).code == 0
    assert not Path("written").exists()
    assert tool(*common, "--run-reproducer", stdin=_recorded("builtin.module(silent)")).code == 0
    assert Path("written").exists()


def test_reproducers_name_no_plugin(tool: Tool) -> None:
    """A pass of a plugin that the command line does not load is unknown."""
    Path("plugin.py").write_text(PLUGIN.replace('"silent"', '"aside"'))
    error = only_error(tool("--run-reproducer", stdin=_recorded("builtin.module(aside)")))
    assert "'aside' does not refer to a registered pass" in error
    assert not Path("loaded").exists()


@BOTH
def test_pipeline_files_run_passes_with_effects(tool: Tool, adapter: str) -> None:
    """They are as good as `-p`; dumped or linted, nothing runs."""
    Path("p.yaml").write_text("Pipeline: [writes]\n")
    common = (f"--ir={adapter}", "--load-pass-plugin=plugin.py", "-p", "@p.yaml")
    assert tool(*common, "--lint").code == 0
    assert not Path("written").exists()
    assert tool(*common, stdin=b"module {}").code == 0
    assert Path("written").exists()


def test_pipeline_files_show_lines_of_others(tool: Tool) -> None:
    """A file that is included and is no pipeline is shown where it is wrong."""
    Path("keys.yaml").write_text("token: SECRET\n")
    Path("p.yaml").write_text("Pipeline: [include: keys.yaml]\n")
    error = only_error(tool("-p", "@p.yaml", stdin=b"module {}"))
    assert error.startswith("keys.yaml:1:1: error: a pipeline's file has no key 'token'")
    assert "token: SECRET" in error


def test_plugins_run_when_they_are_loaded(tool: Tool) -> None:
    """Before the command line is checked."""
    assert tool("--load-pass-plugin=plugin.py", "--no-such-pass", stdin=b"").code == 1
    assert Path("loaded").exists()


def test_reading_a_record_runs_nothing(
    tool: Tool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pages about a record are made without the plugin whose passes are in it."""
    record = str(tmp_path / "run.record")
    common = ("--load-pass-plugin=plugin.py", "-p", "builtin.module(silent)")
    assert tool(*common, f"--record={record}", stdin=b"module {}").code == 0
    for name in ("loaded", "written"):
        Path(name).unlink()
    assert report.main([record]) == 0
    assert "silent" in capsys.readouterr().out
    assert not Path("loaded").exists()
    assert not Path("written").exists()


def test_a_record_as_the_input_runs_no_pass_that_declares_effects(tool: Tool) -> None:
    """What goes on from a record is a pipeline from a file."""
    common = ("--load-pass-plugin=plugin.py", "-p", "builtin.module(cse,writes)")
    assert tool(*common, "--record=run.record", stdin=b"module {}").code == 0
    Path("written").unlink()
    error = only_error(tool("run.record", "--load-pass-plugin=plugin.py", "--start-after=cse"))
    assert "which a pipeline from a file may do only if you trust it" in error
    assert not Path("written").exists()
