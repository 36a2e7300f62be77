"""`onnx-opt` and `tt-opt`: tools in five lines, installed as packages, with all that passel-opt has."""

from __future__ import annotations

import re
import shutil
from importlib import import_module
from importlib.metadata import distributions
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from packages import install, run_with
from tool_fixtures import run_mlir_opt
from warm_programs import warm_programs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from tool_fixtures import Outcome


class Tool(NamedTuple):
    """An example with a tool.

    Attributes:
        name: The tool.
        folder: The example's folder.
        file: Its input.
        pipeline: A pipeline that simplifies it.
        failing: A pipeline with a pass that fails, and what it says.
        statistic: A statistic of the pipeline.
        gone: What the pipeline leaves no trace of.
    """

    name: str
    folder: str
    file: str
    pipeline: str
    failing: tuple[str, str]
    statistic: str
    gone: str


ONNX = Tool(
    "onnx-opt",
    "onnx_opt",
    "relu.onnxtxt",
    "onnx.model(cse,dce,inline)",
    ("onnx.model(cse,onnx.function(limit-nodes{limit=0}))", "1 nodes are more than 0"),
    "(S) 1 changed - Models changed",
    "Neg",
)
TT = Tool(
    "tt-opt",
    "tiny_tensors",
    "matrices.mlir",
    "builtin.module(tt-lower)",
    ("builtin.module(func.func(cse,tt-simplify{limit=0}))", "there are more than 0 to drop"),
    "(S) 1 dropped - Transposes dropped",
    "tt.",
)


@pytest.fixture(scope="module", params=[ONNX, TT], ids=lambda each: each.name)
def example(request: pytest.FixtureRequest) -> Tool:
    """Each tool in turn."""
    return request.param


@pytest.fixture(scope="module")
def folder(
    example: Tool, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Path:
    """Install the example."""
    folder = tmp_path_factory.mktemp(example.folder)
    install(pytestconfig.rootpath / "examples" / example.folder, folder)
    return folder


@pytest.fixture(scope="module")
def program(example: Tool, folder: Path) -> Generator[Path]:
    """Return the tool that is installed as a program that has loaded its IR."""
    (installed,) = distributions(path=[str(folder)])
    (entry,) = installed.entry_points.select(group="console_scripts", name=example.name)
    others = ("onnx_ir",) if example is ONNX else ("xdsl.dialects.linalg", "xdsl.dialects.tensor")
    with warm_programs({example.name: entry.value}, *others) as programs:
        yield programs / example.name


@pytest.fixture
def tool(
    example: Tool, folder: Path, program: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> Callable[..., Outcome]:
    """Run the tool, beside its input."""
    source = pytestconfig.rootpath / "examples" / example.folder / example.file
    shutil.copy(source, tmp_path)

    def run(*arguments: str) -> Outcome:
        return run_with([folder], "-IS", str(program), *arguments, cwd=tmp_path)

    return run


def test_it_runs_a_pipeline(example: Tool, tool: Callable[..., Outcome]) -> None:
    """The input is read and printed by its IR, and the passes do what they are for."""
    plain = tool(example.file)
    assert (plain.code, plain.err) == (0, "")
    assert example.gone in plain.out
    done = tool(example.file, "-p", example.pipeline)
    assert (done.code, done.err) == (0, "")
    assert example.gone not in done.out


def test_reproducer_and_replay(example: Tool, tool: Callable[..., Outcome], tmp_path: Path) -> None:
    """A failure leaves a file behind, and the command that is printed fails in the same way."""
    pipeline, said = example.failing
    crash = "--mlir-pass-pipeline-crash-reproducer=repro.txt"
    failed = tool(example.file, "-p", pipeline, crash)
    assert failed.code == 1
    assert said in failed.err
    (command,) = re.findall(rf"^to replay: {example.name} (.*)$", failed.err, re.MULTILINE)
    assert "--run-reproducer" in command
    replayed = tool(*command.split())
    assert replayed.code == 1
    assert said in replayed.err
    kept = tool(example.file, "-p", example.pipeline, "--mlir-generate-reproducer=kept.txt")
    assert "{-#" in (tmp_path / "kept.txt").read_text()
    again = tool("--run-reproducer", "kept.txt")
    assert (again.code, again.err, kept.code) == (0, "", 0)
    assert example.gone not in again.out


# -- What is special -------------------------------------------------------------------------


def _only(example: Tool, wanted: Tool) -> None:
    if example is not wanted:
        pytest.skip(f"it is about {wanted.name}")


def test_lowered_tensors_are_mlirs(example: Tool, tool: Callable[..., Outcome]) -> None:
    """mlir-opt takes what `tt-opt` lowers, and xDSL's dialects are all there."""
    _only(example, TT)
    lowered = tool(example.file, "--tt-lower")
    done = run_mlir_opt("--one-shot-bufferize=bufferize-function-boundaries", source=lowered.out)
    assert (done.code, done.err) == (0, "")
    assert "linalg.add" in done.out
    assert ",tt," in tool("--show-dialects").out
    unlowered = tool(example.file, "-p", "builtin.module(tt-lower{simplify=false})")
    assert unlowered.out.count("linalg.transpose") == 3
    assert lowered.out.count("linalg.transpose") == 1


def test_onnx_files(example: Tool, tool: Callable[..., Outcome], tmp_path: Path) -> None:
    """Protobufs are read and written, text that is wrong has a place, and so have invalid models."""
    _only(example, ONNX)
    assert tool(example.file, "--cse", "--binary", "-o", "out.onnx").code == 0
    onnx: Any = import_module("onnx")  # whose types are not complete
    onnx.checker.check_model(onnx.load(tmp_path / "out.onnx"))
    assert tool("out.onnx").out == tool(example.file, "--cse").out
    (tmp_path / "bad").write_text('<ir_version: 8, opset_import: ["" : 18]>\ng (float[N] x) =>\n')
    error = tool("bad")
    assert error.code == 1
    assert re.match(r"bad:3:1: error: Expected character \( not found", error.err), error.err
    late = "y = Add(x, t)\n t = Neg(x)\n"
    (tmp_path / "late").write_text(
        f'<ir_version: 8, opset_import: ["" : 18]>\ng (float[N] x) => (float[N] y) {{\n {late}}}\n'
    )
    assert "error: 'onnx.graph' op uses 't' before it is made" in tool("late").err


def test_an_ir_of_passel_opt(
    example: Tool, folder: Path, tool: Callable[..., Outcome], tmp_path: Path
) -> None:
    """Once installed, the IR is one of passel-opt's, and its passes run in any order of writing."""
    _only(example, ONNX)
    flags = ("--ir=onnx_ir", example.file, "--cse", "--dce")
    found = run_with([folder], "-m", "passel", *flags, cwd=tmp_path)
    assert found == tool(example.file, "-p", "onnx.model(cse,dce)")
