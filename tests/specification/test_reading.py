"""Reading `.td` files: what is there, what is refused, and where that is."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from td_files import HEADER, mlir_passes

from passel.specification import SpecificationError, read_passes, tablegen

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import TblgenTool

EXAMPLE = """
def CountOps : Pass<"count-ops", "func::FuncOp"> {
  let summary = "Count ops";
  let description = "Long.";
  let constructor = "createIt()";
  let dependentDialects = ["arith::ArithDialect, scf::SCFDialect", "cf::ControlFlowDialect"];
  let options = [
    Option<"maxOps", "max-ops", "unsigned", "8", "How many.", "llvm::cl::Hidden">,
    ListOption<"names", "names", "std::string", "Which.">
  ];
  let statistics = [Statistic<"seen", "ops seen", "How many there were.">];
}
"""


def test_what_is_declared(td_file: Callable[[str], Path]) -> None:
    """All fields are there, in the order of the file, with the lines that they are on."""
    (found,) = read_passes(str(td_file(EXAMPLE)))
    assert (found.def_name, found.argument) == ("CountOps", "count-ops")
    assert found.base_class == "::mlir::OperationPass<func::FuncOp>"
    assert (found.summary, found.description) == ("Count ops", "Long.")
    assert found.dependent_dialects == (
        "arith::ArithDialect",
        "scf::SCFDialect",
        "cf::ControlFlowDialect",
    )
    first, second = found.options
    assert (first.cpp_name, first.argument, first.type) == ("maxOps", "max-ops", "unsigned")
    assert (first.default, first.description, first.flags) == ("8", "How many.", "llvm::cl::Hidden")
    assert (first.is_list, second.is_list) == (False, True)
    assert [each.place.line for each in (first, second)] == [9, 10]
    (statistic,) = found.statistics
    assert (statistic.cpp_name, statistic.name) == ("seen", "ops seen")
    assert statistic.description == "How many there were."


def test_what_is_included(tmp_path: Path) -> None:
    """Declarations from an included file keep its path, wherever that is found."""
    include = tmp_path / "a folder"
    include.mkdir()
    (include / "Common.td").write_text(f'{HEADER}def A : Pass<"a">;\n')
    file = tmp_path / "Passes.td"
    file.write_text('include "Common.td"\ndef B : Pass<"b">;\n')
    found = read_passes(str(file), include=[str(include)])
    assert [str(each.place) for each in found] == [f"{include / 'Common.td'}:2", f"{file}:2"]


def test_the_include_of_mlir_comes_first(tmp_path: Path) -> None:
    """A `PassBase.td` on the include path is used instead of ours."""
    directory = tmp_path / "mlir" / "Pass"
    directory.mkdir(parents=True)
    (directory / "PassBase.td").write_text("class PassBase;\nclass Pass<string name> : PassBase;\n")
    file = tmp_path / "Passes.td"
    file.write_text(f'{HEADER}def A : Pass<"a">;\n')
    with pytest.raises(
        SpecificationError, match=r"Passes\.td:2: error: field 'argument' .* missing"
    ):
        read_passes(str(file), include=[str(tmp_path)])


def test_ours_declares_what_that_of_mlir_does(mlir_file: Path) -> None:
    """MLIR's files that need no more than `PassBase.td` read the same with ours."""
    expected = mlir_passes(mlir_file)
    if set(re.findall(r'include "(.*)"', mlir_file.read_text("utf-8"))) == {
        "mlir/Pass/PassBase.td"
    }:
        assert read_passes(str(mlir_file)) == expected
    assert expected


WRONG = {
    "unknown class": ('def A : Pas<"a">;', "2:9: error: Couldn't find class 'Pas'"),
    "syntax": ('def A : Pass<"a"', "2:17: error: Expected comma"),
    "missing file": ('include "no.td"', "2:9: error: could not find include file 'no.td'"),
    "no name": ('\ndef A : Pass<"">;', "3: error: pass 'A' has no name"),
    "unset name": ("def A : Pass<?>;", "2: error: field 'argument' of record 'A' is not"),
    "unset option": ('def A : Pass<"a"> { let options = [Option<"a", "a", "int", "", ?>]; }', "2: error: field 'description' of an unnamed record is not set"),
    "odd name": ('def A : Pass<"a b">;', "2: error: 'a b' cannot be the name of pass 'A'"),
    "same name": ('def B : Pass<"a">;\ndef A : Pass<"a">;', "3: error: passes 'B' and 'A' have the same name 'a'; the first one is at "),
    # What Python cannot declare.
    "reserved word": ('def A : Pass<"a"> { let options = [Option<"lambda", "lambda", "int", "", "">]; }', "2: error: neither option 'lambda' of pass 'a' nor"),
    "base class": ('def A : PassBase<"a", "MyBase">;', "2: error: base class 'MyBase' of pass 'a' is unknown; use Pass or Interface"),
    "anonymous": ('def : Pass<"a">;', "2: error: pass 'a' has no class name; write"),
    "keyword": ('def None : Pass<"a">;', "2: error: 'None' is a reserved word in Python"),
    "unnamed option": ('def A : Pass<"a"> { let options = [Option<"x", "", "int", "", "">]; }', "2: error: an option of pass 'a' has no name"),
    "option without a name in Python": ('def A : Pass<"a"> { let options = [Option<"2", "1", "int", "", "">]; }', "2: error: neither option '1' of pass 'a' nor its var"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(
    text: str, message: str, td_file: Callable[[str], Path], tblgen: TblgenTool
) -> None:
    """A wrong file gives one error with its place, and the exit code 1."""
    outcome = tblgen("-gen-pass-decls", str(td_file(text)))
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.count("error:") == 1
    assert f"Passes.td:{message}" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-gen-pass-doc"], 1, "expected at least one file with passes"),
        (["Passes.td"], 1, "-gen-pass-doc"),
        (["-gen-pass-doc", "none.td"], 1, "passel-tblgen: error: 'none.td' does not exist"),
        (["-gen-pass-doc", "."], 1, "passel-tblgen: error: '.' is a directory"),
        (["-gen-pass-doc", "--passes=b", "Passes.td"], 1, "there is no pass 'b'"),
        (["-gen-pass-doc", "Passes.td", "-o", "no/such"], 1, "cannot open output file 'no/such'"),
        (["-gen-pass-doc", "Plain.td"], 1, 'does not include "mlir/Pass/PassBase.td"'),
    ],
)
def test_wrong_command_lines(
    arguments: list[str],
    code: int,
    message: str,
    td_file: Callable[[str], Path],
    tblgen: TblgenTool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is wrong with the command line is said in one error."""
    monkeypatch.chdir(td_file('def A : Pass<"a">;').parent)
    Path("Plain.td").write_text("def A;\n")
    outcome = tblgen(*arguments)
    assert outcome.code == code
    assert outcome.err.count("error:") == 1
    assert message in outcome.err


def test_without_tablegen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no llvm-tblgen, the error says how to get it."""

    def nothing(_: str) -> None: ...

    monkeypatch.setattr(tablegen, "find_spec", nothing)
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(SpecificationError, match=r"pip install '\.\[mlir\]'"):
        tablegen.find_tablegen()
