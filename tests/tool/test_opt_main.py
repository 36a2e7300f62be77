"""`opt_main`: tools like passel-opt for the caller's passes, or the caller's IR."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import pytest
from mlir.ir import DialectRegistry
from tool_fixtures import FAIL
from xdsl.dialects.func import FuncOp
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition

from passel import (
    OperationPass,
    Pass,
    PassContext,
    PassFailure,
    PassInstrumentation,
    PassManager,
    PassRegistry,
)
from passel.diagnostics import Diagnostic, Severity
from passel.frontend import Flag, Frontend, Parsed, UnreadableError
from passel.mlir import MLIRAdapter
from passel.testing import ToyAdapter, ToyOp, parse_toy
from passel.tool import opt_main
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tool_fixtures import Tool

    from passel.frontend import SourcePart
    from passel.ir import IRAdapter
    from passel.schedule import Step

Capsys: TypeAlias = "pytest.CaptureFixture[str]"
ToyOpt: TypeAlias = "Callable[..., tuple[int, str, str]]"


class Refuse(OperationPass[FuncOp]):
    """Give up."""

    name = "refuse"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Give up."""
        raise PassFailure("not this one")


def test_a_tool_for_ones_own_passes(tool: Tool, capsys: Capsys) -> None:
    """It has its name in help and messages, its own passes and no others."""
    registry = PassRegistry()
    registry.register(Refuse)

    def run(*words: str) -> tuple[str, str]:
        opt_main(words, name="my-opt", registry=registry)
        return capsys.readouterr()

    assert run("in.mlir")[0].startswith("builtin.module {\n  func.func @f()")
    assert run("--help")[0].startswith("my-opt: run nested pass pipelines")
    assert "passel-opt" not in run("--help")[0]
    assert run("--list-passes")[0] == "Passes:\n  --refuse -   Give up.\n"
    _, err = run("in.mlir", "--refuse", "--mlir-print-op-on-diagnostic=false")
    assert err.startswith("in.mlir:1:1: error: 'func.func' op pass 'refuse' failed")
    assert err.endswith(
        "\nmy-opt: note: to replay: my-opt in.mlir --refuse --mlir-print-op-on-diagnostic=false\n"
    )
    unknown = "my-opt: error: unknown command line argument '--cse'\nTry 'my-opt --help'\n"
    assert run("in.mlir", "--cse")[1].startswith(unknown)


def test_a_tool_with_a_pipeline(tool: Tool, tmp_path: Path, capsys: Capsys) -> None:
    """It runs where the command line names neither passes nor a pipeline, nor a reproducer is run."""

    def run(*flags: str) -> str:
        assert opt_main(["in.mlir", *flags], name="my-opt", pipeline="canonicalize,cse") == 0
        return capsys.readouterr().err

    def dumped(*flags: str) -> list[str]:
        return re.findall(r"cse|canonicalize|dce", run(*flags, "--dump-pass-pipeline"))

    assert dumped() == ["canonicalize", "cse"]
    assert dumped("--dce") == dumped("-p", "dce") == ["dce"]
    run("--mlir-generate-reproducer=r.mlir", "--record=in.record", "--dce")
    (tmp_path / "r.mlir").rename("in.mlir")
    assert dumped("--run-reproducer") == ["dce"]
    (tmp_path / "in.record").rename("in.mlir")
    assert dumped() == ["dce"]
    assert opt_main(["--help-all"], pipeline="mine") == 0
    assert "Without a pipeline, 'mine' runs." in capsys.readouterr().out


# -- Another IR ------------------------------------------------------------------------------


class ToyFrontend(Frontend):
    """The toy IR as files, one op in each."""

    flags: ClassVar[Sequence[Flag]] = (Flag("print in capitals", name="shout"),)

    def parse(self, part: SourcePart, context: Any, warn: Callable[[Diagnostic], None]) -> Parsed:
        """Read an op."""
        text = part.text.lstrip()
        if not text.startswith("toy."):
            place = part.location(len(part.text) - len(text))
            raise UnreadableError([Diagnostic(Severity.ERROR, "expected an op", place)])
        if text == "toy.text":
            wrong: Any = "no toy"
            raise UnreadableError(wrong)
        return Parsed(parse_toy(text))

    def emit(self, parsed: Parsed, context: Any) -> str:
        """Print it, perhaps loudly."""
        text = str(parsed.op) + "\n"
        return text.upper() if self.settings.own["shout"] else text


class ToyAdapterForFiles(ToyAdapter):
    """An adapter that has a frontend."""

    def make_frontend(self) -> Frontend:
        """Return it."""
        return ToyFrontend(self)


class Increment(Pass[ToyOp]):
    """Add one."""

    name = "increment"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Add one."""
        op.value += 1


@pytest.fixture
def toy_opt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> ToyOpt:
    """A tool for the toy IR."""
    monkeypatch.chdir(tmp_path)
    registry = PassRegistry()
    registry.register(Increment)

    def run(*arguments: str, adapter: ToyAdapter | None = None) -> tuple[int, str, str]:
        adapter = adapter or ToyAdapterForFiles()
        code = opt_main(arguments, name="toy-opt", registry=registry, adapter=adapter)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_a_tool_for_another_ir(toy_opt: ToyOpt) -> None:
    """An adapter with a frontend is enough: pipelines, splitting, and the IR's own flags."""
    Path("in.toy").write_text("toy.module(toy.func @f)// -----\ntoy.module(toy.func @g)")
    flags = ("in.toy", "--split-input-file", "-p", "toy.module(toy.func(increment))", "--shout")
    assert toy_opt(*flags) == (
        0,
        "TOY.MODULE(TOY.FUNC @F 1)\n// -----\nTOY.MODULE(TOY.FUNC @G 1)\n",
        "",
    )
    Path("in.toy").write_text("toy.module")
    assert toy_opt("in.toy", "-p", "increment") == (0, "toy.module 1\n", "")  # on any op
    code, out, _ = toy_opt("--help")
    assert code == 0
    assert out.startswith("toy-opt: run nested pass pipelines on toy files\n")
    assert "toy:\n  --shout  " in out
    assert "emit-bytecode" not in out


def test_errors_of_another_ir(toy_opt: ToyOpt) -> None:
    """What its frontend refuses has the source line and a caret as well."""
    Path("in.toy").write_text("toy.module\n// -----\nnonsense\n")
    code, out, err = toy_opt("in.toy", "--split-input-file")
    assert (code, out) == (1, "toy.module\n// -----\n")
    assert err == "in.toy:3:1: error: expected an op\nnonsense\n^\n"


CRASHES = {
    "parser": ("toy.func x", "in.toy:0:0: error: parser crashed: ValueError: invalid literal"),
    "parser with text": ("toy.text", "not 'no toy'; write [Diagnostic(Severity.ERROR, message,"),
    "verifier": ("toy.func 7", "op verifier crashed: KeyError: 7"),
    "verifier after a pass": ("toy.func", "op verifier crashed: KeyError: 1"),
}


@pytest.mark.parametrize(("text", "said"), CRASHES.values(), ids=CRASHES)
def test_crashes_of_another_ir(toy_opt: ToyOpt, text: str, said: str) -> None:
    """An exception of an IR's parser or verifier is an error with its line, and no traceback."""

    class Crashes(ToyAdapterForFiles):
        def verify(self, op: ToyOp, *, recursive: bool) -> None:
            if op.value:
                raise KeyError(op.value)

    Path("in.toy").write_text(text)
    code, _, err = toy_opt("in.toy", "--increment", adapter=Crashes())
    assert code == 1
    assert said in err
    assert re.search(r" \(.*test_opt_main.py:\d+\)\n", err)


@pytest.mark.parametrize(
    ("adapter", "flag", "version"),
    [
        (XDSLAdapter(), "--target=mlir", "(xDSL 0."),
        (MLIRAdapter(), "--emit-bytecode=false", "(MLIR's bindings "),
    ],
    ids=["xdsl", "mlir"],
)
def test_a_tool_for_an_ir_of_passels(
    tool: Tool, capsys: Capsys, adapter: IRAdapter, flag: str, version: str
) -> None:
    """The adapters that passel brings can be given too; the tool has their flags and passes."""
    expected = tool(f"--ir={adapter.name}", "in.mlir", "--cse")
    assert opt_main(["in.mlir", "--cse", flag], adapter=adapter) == 0
    assert capsys.readouterr().out == expected.out
    assert opt_main(["--version"], adapter=adapter) == 0
    assert version in capsys.readouterr().out
    assert opt_main(["--help-all"], adapter=adapter) == 0
    assert flag.partition("=")[0] in capsys.readouterr().out


@pytest.mark.parametrize("flag", ["--ir=mlir", "--emit-bytecode", "--compat=xdsl"])
def test_flags_for_other_irs(toy_opt: ToyOpt, flag: str) -> None:
    """A flag that is for another IR is refused, not ignored, as is an adapter without files."""
    reason = f"'{flag.partition('=')[0]}' is not supported: toy-opt reads only 'toy'"
    assert toy_opt("absent.toy", flag) == (1, "", f"toy-opt: error: {reason}\n")
    lacks = "the adapter 'toy' reads no files: define make_frontend()"
    assert toy_opt("in", adapter=ToyAdapter()) == (1, "", f"toy-opt: error: {lacks}\n")


# -- Dialects, flags and setup ---------------------------------------------------------------


@irdl_op_definition
class CatOp(IRDLOperation):
    """A cat."""

    name = "zoo.cat"


ZOO = Dialect("zoo", [CatOp], [])


class CountPasses(PassInstrumentation):
    """Counts passes."""

    count = 0

    def after_pass(self, step: Step, op: Any) -> None:
        """Count it."""
        self.count += 1


def test_dialects_of_a_tool(tool: Tool, capsys: Capsys) -> None:
    """Ops of the tool's own dialects are known, in pipelines, lists and `xdsl-opt`'s flags too."""
    Path("zoo.mlir").write_text('"zoo.cat"() : () -> ()\n')
    assert tool("zoo.mlir").code == 1
    for flags in (("--cse",), ("--compat=xdsl", "-p", "cse")):
        assert opt_main(["zoo.mlir", *flags], name="zoo-opt", dialects=[ZOO]) == 0
        assert '"zoo.cat"() : () -> ()' in capsys.readouterr().out
    assert opt_main(["--show-dialects"], dialects=[ZOO]) == 0
    assert ",zoo" in capsys.readouterr().out
    given = XDSLAdapter()
    assert opt_main(["zoo.mlir"], adapter=given, dialects=[ZOO]) == 0
    assert list(given.create_context().registered_dialect_names).count("zoo") == 0


def test_dialects_of_mlirs_bindings(tool: Tool, capsys: Capsys) -> None:
    """Each IR takes the dialects that are its own: MLIR's a function of a registry."""
    registries: list[object] = []

    def register_dialects(registry: object) -> None:
        registries.append(registry)

    dialects = [ZOO, register_dialects]
    assert opt_main(["in.mlir", "--ir=mlir", "--cse"], dialects=dialects) == 0
    assert [type(each) for each in registries] == [DialectRegistry]
    assert opt_main(["in.mlir"], dialects=dialects) == 0
    assert len(registries) == 1


@pytest.mark.parametrize(
    ("adapter", "message"),
    [
        (ToyAdapterForFiles(), "the adapter 'toy' takes no dialects: define with_dialects()"),
        (XDSLAdapter(), "expected an xDSL Dialect, got 3"),
        (MLIRAdapter(), "expected a function taking a DialectRegistry, got 3"),
    ],
)
def test_things_that_are_no_dialects(capsys: Capsys, adapter: IRAdapter, message: str) -> None:
    """What the IR does not take as a dialect is an error of one line."""
    assert opt_main(["in"], name="zoo-opt", adapter=adapter, dialects=[3]) == 1
    assert capsys.readouterr().err == f"zoo-opt: error: {message}\n"


def test_flags_of_a_tool(tool: Tool, capsys: Capsys) -> None:
    """A tool's own flags are in its help, reach its setup, and stand in the replay line."""
    flag = Flag("how loud", "<n>", parse=int, name="volume")
    counter = CountPasses()
    seen: list[Any] = []

    def setup(manager: PassManager, values: Mapping[str, Any]) -> None:
        seen.append((str(manager), values["volume"]))
        manager.add_instrumentation(counter)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = opt_main(arguments, name="my-opt", flags=[flag], setup=setup, version="1.2")
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    assert run("in.mlir", "--cse", "--volume=3")[0] == 0
    assert run("in.mlir", "--cse")[0] == 0
    assert seen == [("builtin.module(cse)", 3), ("builtin.module(cse)", None)]
    assert counter.count == 2
    assert "my-opt:\n  --volume=<n>  " in run("--help")[1]
    assert run("--version")[1].startswith("my-opt 1.2 (passel ")
    code, _, err = run("in.mlir", "--volume=loud")
    assert code == 1
    assert err == "my-opt: error: '--volume' invalid literal for int() with base 10: 'loud'\n"
    Path("p.py").write_text(FAIL)
    repro = "--mlir-pass-pipeline-crash-reproducer=r.mlir"
    _, _, err = run("in.mlir", "--load-pass-plugin=p.py", "--fail", "--volume=3", repro)
    command = "my-opt --run-reproducer --load-pass-plugin=p.py --volume=3 r.mlir"
    assert f": {command}\n" in err
    code, _, err = run(*command.split()[1:], "--allow-effects=all")
    assert code == 1
    assert "pass 'fail' failed: no" in err


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        (Flag("again", name="cse-"), ""),
        (Flag("again", name="lint"), "flag '--lint' already exists"),
        (Flag("again", name="far", short=("o",)), "flag '--o' already exists"),
        (Flag("nameless"), "it has no name: "),
    ],
)
def test_flags_that_are_taken(tool: Tool, capsys: Capsys, flag: Flag, message: str) -> None:
    """A flag that the tool has already, or without a name, is refused instead of lost."""
    assert opt_main(["in.mlir"], name="my-opt", flags=[flag]) == bool(message)
    expected = f"my-opt: error: cannot add a flag to the tool: {message}"
    assert capsys.readouterr().err.startswith(expected if message else "")
