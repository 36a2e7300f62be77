"""From Python to TableGen and Markdown: `-gen-td`, `passel-doc` and `--help-pass`."""

from __future__ import annotations

import re
import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import pytest
from td_files import HEADER, ROOT, declarations, mlir_tblgen

from passel import InterfacePass, OperationPass, OpPassManager, Options, Pass, Statistic, option
from passel.passes import default_registry
from passel.passes.numbers import Int16, IntRange, UInt32
from passel.passes.plugins import import_plugin, named_passes_in
from passel.specification import class_doc, pass_decls, pass_doc, pass_td, read_passes

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import TblgenTool, Tool

    Doc = Callable[..., subprocess.CompletedProcess[str]]

INCLUDE = f"-I{ROOT / 'src/passel/specification/include'}"


class Shade(Enum):
    """Choices with keywords of their own."""

    LIGHT = "light-ish"
    DARK = "2-dark"


class Trait:
    """An interface."""


class Size(Options):
    """What C++ does not know."""

    width: int = 1


class Everything(OperationPass[Any]):
    r"""Do "everything".

    With a \ backslash.

        Indented.
    """

    name = "everything"
    anchor = "func.func"
    dependent_dialects = ("arith", "my_own")

    flag: bool = True
    number: int = -3
    small: Int16 = 1
    count: UInt32 = option(default=2**32 - 1, help='How "many".')
    die: Annotated[int, IntRange(1, 6)] = 6
    real: float = 0.5
    text: str = 'a "b"\n'
    mode: Literal["fast", "very-slow"] = "very-slow"
    shade: Shade = Shade.DARK
    items: tuple[int, ...] = ()
    words: tuple[str, ...] = ("a",)
    maybe: str | None = None
    needed: int
    size: Size = Size()
    pipeline: OpPassManager | None = None
    name_: str = option(default="x", name="name")
    seen = Statistic("Ops seen", name="ops seen")


class OnTrait(InterfacePass[Trait]):
    """Run on ops with a trait."""

    name = "on-trait"
    preserves: ClassVar[tuple[type, ...]] = (Trait,)
    effects = ("write-files",)


class OnOwn(Pass):  # noqa: D101 - a pass without a summary
    name = "on-own"
    anchor = "my.long_op"


EVERYTHING = r"""
def Everything : Pass<"everything", "::mlir::func::FuncOp"> {
  let summary = "Do \"everything\"";
  let description = [{
    With a \ backslash.

        Indented.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::my_own::MyOwnDialect"];
  let options = [
    Option<"flag", "flag", "bool", "true", "">,
    Option<"number", "number", "int64_t", "-3", "">,
    Option<"small", "small", "int16_t", "1", "">,
    Option<"count", "count", "unsigned", "4294967295", "How \"many\".">,
    // It takes 1 to 6.
    Option<"die", "die", "int64_t", "6", "">,
    Option<"real", "real", "double", "0.5", "">,
    Option<"text", "text", "std::string", "\"a \\\"b\\\"\\n\"", "">,
    Option<"mode", "mode", "EverythingMode", "EverythingMode::VerySlow", "", [{::llvm::cl::values(clEnumValN(EverythingMode::Fast, "fast", ""), clEnumValN(EverythingMode::VerySlow, "very-slow", ""))}]>,
    Option<"shade", "shade", "Shade", "Shade::k2Dark", "", [{::llvm::cl::values(clEnumValN(Shade::LightIsh, "light-ish", ""), clEnumValN(Shade::k2Dark, "2-dark", ""))}]>,
    ListOption<"items", "items", "int64_t", "">,
    // Its default in Python is {a}.
    ListOption<"words", "words", "std::string", "">,
    Option<"maybe", "maybe", "std::optional<std::string>", "", "">,
    Option<"needed", "needed", "int64_t", "", "">,
    // Its type in Python is Size.
    Option<"size", "size", "std::string", "", "">,
    Option<"pipeline", "pipeline", "OpPassManager", "", "">,
    Option<"name", "name", "std::string", "\"x\"", "">
  ];
  let statistics = [
    Statistic<"seen", "ops seen", "Ops seen">
  ];
}

def OnTrait : InterfacePass<"on-trait", "Trait"> {
  let summary = "Run on ops with a trait";
}

// The C++ class of 'my.long_op' is a guess.
def OnOwn : Pass<"on-own", "::my::LongOpOp">;
"""


def test_everything_that_python_declares() -> None:
    """Each type and text has its form in TableGen; a comment says what C++ does not know."""
    found = pass_td([Everything, OnTrait, OnOwn])
    assert found.partition('PassBase.td"\n')[2] == EVERYTHING


def test_mlir_tblgen_takes_it(tmp_path: Path) -> None:
    """mlir-tblgen makes C++ of it, and the same documentation as passel."""
    path = tmp_path / "Passes.td"
    path.write_text(pass_td([Everything, OnTrait, OnOwn]))
    assert '::llvm::cl::desc(R"PO(How "many".)PO")' in mlir_tblgen(
        "-gen-pass-decls", path, "-name=Own", INCLUDE
    )
    assert pass_doc(read_passes(str(path))) == mlir_tblgen("-gen-pass-doc", path, INCLUDE)


def bases(path: Path, directory: Path, *include: str) -> tuple[str, list[type[Pass[Any, Any]]]]:
    """Return what is generated for a file, and its classes under the names of the records."""
    source = pass_decls(read_passes(str(path), include))
    module_file = directory / f"declared_{path.stem}.py"
    module_file.write_text(source)
    classes = list(named_passes_in(import_plugin(str(module_file))))
    for each in classes:
        each.__name__ = each.__name__.removesuffix("Base")
    return source, classes


def without_notes(source: str) -> list[str]:
    """Return lines but those that quote C++."""
    return [line for line in source.splitlines() if not line.startswith("    # ")]


def test_files_of_mlir_there_and_back(
    mlir_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Python says of MLIR's passes comes back, and stays as it is from then on."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    first, classes = bases(mlir_file, tmp_path, str(declarations()))
    back = tmp_path / "Back.td"
    back.write_text(pass_td(classes))
    mlir_tblgen("-gen-pass-decls", back, "-name=Back", INCLUDE)
    second, again = bases(back, tmp_path)
    assert without_notes(second) == without_notes(first)
    assert pass_td(again) == back.read_text()


def test_passes_that_come_along(tmp_path: Path) -> None:
    """XDSL's and passel's own passes are declared and documented, all of them."""
    classes = [info.pass_class for info in default_registry().passes(ir="xdsl")]
    path = tmp_path / "Passes.td"
    path.write_text(pass_td(classes))
    assert [each.argument for each in read_passes(str(path))] == [
        each.name for each in sorted(classes, key=lambda each: each.__name__)
    ]
    assert f"def {classes[0].__name__}" in path.read_text()
    mlir_tblgen("-gen-pass-decls", path, "-name=Own", INCLUDE)
    text = class_doc(classes)
    assert [each for each in classes if f"### `-{each.name}`\n" not in text] == []


DOCUMENTED = """\
<!-- Autogenerated by passel-doc; don't manually edit -->

### `-on-own`

* Runs on `my.long_op`.

### `-on-trait`

_Run on ops with a trait._

* Runs on ops with `Trait`.
* Preserves `Trait`.
* Has effects outside the IR: `write-files`.
"""


def test_facts_in_markdown() -> None:
    """Anchors, interfaces, analyses and effects follow the description."""
    assert class_doc([OnTrait, OnOwn]) == DOCUMENTED
    text = class_doc([Everything])
    assert "* May make ops of the dialects `arith`, `my_own`.\n" in text
    assert "\n-mode=<fast|very-slow>    : (default very-slow)\n" in text
    assert "\n-needed=<int>             : (required)\n" in text
    assert '\n-count=<uint>             : How "many". (default 4294967295)\n' in text


class Shown(Pass[Any]):
    """Do it.

    Example:
        >>> Shown().name
        'shown'

    Examples:
        Not in Python.

    Example:
        >>> Shown.name
        'shown'

        >>> 1
        1
    """

    name = "shown"


def test_examples_in_markdown() -> None:
    """Doctests are blocks of code, with the lines between them; other sections stay as they are."""
    text = class_doc([Shown])
    assert "\nExample:\n\n```pycon\n>>> Shown().name\n'shown'\n```\n\nExamples:\n    Not" in text
    assert "\n```pycon\n>>> Shown.name\n'shown'\n\n>>> 1\n1\n```\n" in text


# -- The commands ----------------------------------------------------------------------------

PLUGIN = '''
from passel import OperationPass, option


class Sweep(OperationPass):
    """Remove what is not used."""

    name = "sweep"
    anchor = "func.func"
    deep: bool = option(default=False, help="Look inside.")
'''


@pytest.fixture
def plugin(tmp_path: Path) -> str:
    """Return the path of a plugin."""
    path = tmp_path / "sweeping.py"
    path.write_text(PLUGIN)
    return str(path)


def test_declarations_of_a_plugin(tblgen: TblgenTool, plugin: str) -> None:
    """`-gen-td` declares the passes of a file."""
    outcome = tblgen("-gen-td", plugin)
    assert outcome.err == ""
    assert outcome.out.partition("\n\n")[2] == (
        f"{HEADER}\n"
        'def Sweep : Pass<"sweep", "::mlir::func::FuncOp"> {\n'
        '  let summary = "Remove what is not used";\n'
        "  let options = [\n"
        '    Option<"deep", "deep", "bool", "false", "Look inside.">\n'
        "  ];\n"
        "}\n"
    )
    assert tblgen("-gen-td", plugin, "--passes=sweep").out == outcome.out


@pytest.mark.parametrize(
    ("text", "flags", "message"),
    [
        ("", [], "no passes are defined there"),
        ("1 / 0", [], "ZeroDivisionError: division by zero"),
        (PLUGIN, ["--passes=weep"], "there is no pass 'weep'; did you mean 'sweep'?"),
    ],
)
def test_what_is_wrong_with_a_plugin(
    text: str, flags: list[str], message: str, tblgen: TblgenTool, plugin: str
) -> None:
    """A file that cannot be imported, or has no such passes, is one error."""
    Path(plugin).write_text(text)
    outcome = tblgen("-gen-td", plugin, *flags)
    assert (outcome.code, outcome.out, outcome.err.count("error:")) == (1, "", 1)
    assert message in outcome.err


@pytest.fixture
def doc(programs: Path) -> Doc:
    """passel-doc."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [programs / "passel-doc", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


def test_documentation_of_a_plugin(doc: Doc, plugin: str, tmp_path: Path) -> None:
    """passel-doc documents the passes of a file, of names, and all that are installed."""
    section = (
        "### `-sweep`\n\n_Remove what is not used._\n\n* Runs on `func.func`.\n\n"
        "#### Options\n\n```\n-deep : Look inside. (default false)\n```\n"
    )
    assert doc(plugin).stdout.endswith(f"edit -->\n\n{section}")
    assert "### `-cse`" in doc("cse", plugin).stdout
    target = tmp_path / "passes.md"
    assert doc("-o", str(target)).stdout == ""
    assert target.read_text("utf-8").count("\n### `-") > 100
    assert "`-canonicalize`" in doc("--ir=mlir", "canonicalize").stdout


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("csee", "there is no pass 'csee'; did you mean 'cse'?"),
        ("nothing_like_it", "there is no pass 'nothing_like_it', nor a module of that name"),
        ("nothing_like_it.py", "cannot open pass plugin 'nothing_like_it.py'"),
        ("json.decoder", "'json.decoder' defines no passes"),
        ("O2", "'O2' is a pipeline, not a pass: passel-opt --help-pass=O2 describes it"),
    ],
)
def test_what_passel_doc_does_not_find(doc: Doc, argument: str, message: str) -> None:
    """What is neither a pass nor a module is one error."""
    done = doc(argument)
    assert (done.returncode, done.stdout, done.stderr.count("error:")) == (1, "", 1)
    assert message in done.stderr


def test_an_ir_that_passel_doc_does_not_know(doc: Doc) -> None:
    """The IR is one with an adapter."""
    done = doc("--ir=llvm")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search("'--ir' takes one of .*mlir.*, not 'llvm'", done.stderr)


def test_help_on_one_pass(tool: Tool, plugin: str) -> None:
    """`--help-pass` shows all about a pass, plugins' included; a wrong name gets a suggestion."""
    found = tool(f"--load-pass-plugin={plugin}", "--help-pass=sweep")
    assert found.out.startswith("### `-sweep`\n\n_Remove what is not used._\n")
    assert "-deep : Look inside. (default false)\n" in found.out
    typed = tool("--ir=mlir", "--help-pass=canonicalize")
    assert "-region-simplify=<disabled|normal|aggressive> : " in typed.out
    pipeline = tool("--help-pass=O2").out
    assert pipeline.startswith("### `-O2`\n\n_Simplify, inline calls")
    assert "`--O2 --dump-pass-pipeline` shows what it runs" in pipeline
    assert "-inline : Inline function calls. (default true)" in pipeline
    wrong = tool("--help-pass=csee")
    assert (wrong.code, wrong.out) == (1, "")
    assert "'--help-pass': there is no pass 'csee'; did you mean 'cse'?" in wrong.err
