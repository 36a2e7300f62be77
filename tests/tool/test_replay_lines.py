"""The command with which passel-opt says that a failure is replayed shows the same failure."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import ways_to_fail

from passel.passes import default_registry
from passel.record import Record
from passel.tool import opt_main

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import Outcome

    Fresh = Callable[..., Outcome]

FUNCTIONS = """\
func.func @a(%x: complex<f32>) {
  %0 = complex.cos %x : complex<f32>
  return
}
func.func @b() {
  return
}
"""
PLUGIN = f"--load-pass-plugin={ways_to_fail.__file__}"
FILE = "--mlir-pass-pipeline-crash-reproducer=r.mlir"
LOCAL = "--mlir-pass-pipeline-local-reproducer"
BOTH = {
    "gives up": ["func.func(give-up)"],
    "raises": ["raise"],
    "leaves invalid IR": ["func.func(cse,break)"],
    "isolation": ["func.func(trespass)", "--check-isolation"],
    "analysis": ["func.func(ask)"],
    "dynamic pipeline": ["dynamic"],
    "effects": ["unwritten"],
    "quotes": [r"""give-up{reason="it's \"over\", {x} \\ =1"}"""],
    "always verified": ["func.func(break)", "--verify-each=always"],
}
ONE = {
    "native pass": ["func.func(convert-complex-to-llvm)", "--ir=mlir"],
    "crossing to xDSL": ["func.func(xdsl(give-up))", "--ir=mlir"],
    "crossing to MLIR": ["func.func(mlir(convert-complex-to-llvm))"],
    "pass of xDSL's kind": ["surrender"],
}
WAYS = {
    **{
        f"{way}, {ir}": [*words, f"--ir={ir}"]
        for way, words in BOTH.items()
        for ir in ("xdsl", "mlir")
    },
    **ONE,
}


@pytest.fixture
def fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Run passel-opt with the passes of a new process, which fails, and return what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # plugins add their folders
    Path("my functions.mlir").write_text(FUNCTIONS)

    def run(*words: str) -> str:
        assert opt_main(words, registry=default_registry().copy()) == 1
        return capsys.readouterr().err

    return run


def command_in(said: str) -> list[str]:
    """Return the arguments of the command that a failure tells."""
    (how,) = {
        line.partition("to replay: ")[2] for line in said.splitlines() if "to replay: " in line
    }
    program, *words = shlex.split(how)
    assert program == "passel-opt"
    return words


def first_error(said: str) -> str:
    """Return the message of the first error."""
    return next(line.partition("error: ")[2] for line in said.splitlines() if "error: " in line)


@pytest.mark.parametrize("way", [*WAYS, *(f"{way}, {LOCAL}" for way in ONE)])
def test_with_a_file_it_replays_that(fresh: Callable[..., str], way: str) -> None:
    """It has the flags without which the file does not fail, or is refused."""
    pipeline, *words = WAYS[way.removesuffix(f", {LOCAL}")]
    local = [LOCAL] if way.endswith(LOCAL) else []
    given = ["my functions.mlir", PLUGIN, "-p", f"builtin.module({pipeline})", *words]
    said = fresh(*given, FILE, *local)
    again = fresh(*command_in(said))
    assert first_error(again) == first_error(said)
    assert command_in(again) == command_in(said)


@pytest.mark.parametrize("way", WAYS)
def test_with_a_record_it_begins_at_the_pass_that_failed(
    fresh: Callable[..., str], way: str
) -> None:
    """The record alone shows the same failure, of that execution and no other."""
    pipeline, *words = WAYS[way]
    given = ["my functions.mlir", PLUGIN, "-p", f"builtin.module(symbol-dce,{pipeline})", *words]
    said = fresh(*given, "--record", "my record")
    record = Record.open("my record")
    assert command_in(said) == given == [*record.info.command_line[1:]]  # it stays as it is
    failed = next(each for each in record.executions if each.status == "failed")
    Path("my functions.mlir").unlink()
    words = shlex.split(record.replay(failed))[1:]
    again = fresh(*words, "--record=again")
    assert first_error(again) == first_error(said)
    while failed.caller is not None:
        failed = record.executions[failed.caller]
    ran = [e for e in Record.open("again").executions if e.status != "skipped"]
    found = [(each.path, each.ordinals) for each in ran if each.caller is None]
    assert found == [(failed.path, failed.ordinals)]


def test_effects_that_are_allowed_are_joined_by_those_that_it_takes(
    fresh: Callable[..., str],
) -> None:
    """A flag that allows too little for the recorded pipeline is completed."""
    pipeline = "builtin.module(unwritten)"
    allowed = "--allow-effects=run-programs"
    said = fresh("my functions.mlir", PLUGIN, "-p", pipeline, allowed, FILE)
    assert first_error(fresh(*command_in(said))) == first_error(said)
