"""`-gen-pass-decls`: base classes, types and defaults, registration, and texts."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from td_files import ROOT, declarations, mlir_passes

from passel import InterfacePass, OperationPass, Options, Pass, PassRegistry
from passel.specification import pass_decls, read_passes

if TYPE_CHECKING:
    from collections.abc import Callable


def imported(source: str, directory: Path) -> Any:
    """Import a generated module, which is forgotten at once."""
    (directory / "declared.py").write_text(source, encoding="utf-8")
    importlib.invalidate_caches()
    try:
        return importlib.import_module("declared")
    finally:
        del sys.modules["declared"]


@pytest.fixture
def generate(
    td_file: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Import what is generated for a file's text."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def run(text: str, **flags: Any) -> Any:
        return imported(pass_decls(read_passes(str(td_file(text))), **flags), tmp_path)

    return run


def options(*declared: str) -> str:
    """Return a pass `a`, of the record `A`, with options."""
    return f'def A : Pass<"a"> {{ let options = [{", ".join(declared)}]; }}'


def option(type_: str, default: str = "", flags: str = "", name: str = "x") -> str:
    """Return an option."""
    return f'Option<"{name}", "{name}", "{type_}", [{{{default}}}], "", [{{{flags}}}]>'


# -- Classes ---------------------------------------------------------------------------------


def test_kinds_of_passes(generate: Callable[..., Any]) -> None:
    """Anchors, interfaces, dialects and texts are those of the declaration."""
    module = generate("""
        def Any1 : Pass<"any-op">;
        def OnFunc : Pass<"on-func", "::mlir::func::FuncOp"> {
          let summary = "run on functions";
          let description = [{
            First.

              Indented.
          }];
          let dependentDialects = ["LLVM::LLVMDialect", "::mlir::DLTIDialect, scf::SCFDialect"];
        }
        def OnInterface : InterfacePass<"on-interface", "FunctionOpInterface">;
        def OnMine : Pass<"on-mine", "my::Func">;
    """)
    kinds = {Pass: module.Any1Base, OperationPass: module.OnFuncBase}
    for kind, base in {**kinds, InterfacePass: module.OnInterfaceBase}.items():
        assert base.__bases__ == (kind,)
    assert module.Any1Base.anchor is None
    assert (module.OnFuncBase.name, module.OnFuncBase.anchor) == ("on-func", "func.func")
    assert module.OnFuncBase.dependent_dialects == ("dlti", "llvm", "scf")
    assert module.OnFuncBase.summary() == "Run on functions."
    assert "First.\n\n  Indented." in (getdoc(module.OnFuncBase) or "")
    assert module.OnInterfaceBase.interface is None
    assert module.OnMineBase.anchor is None


def test_fields_do_not_hide_what_the_fields_after_them_use(generate: Callable[..., Any]) -> None:
    """An option called like a type or `option` is a field with an underscore."""
    names = ["option", "tuple", "str", "bool", "float"]
    found = [option("std::string", '"x"', name=name) for name in names]
    later = ['ListOption<"ls", "ls", "double", "h">', 'Option<"f", "f", "float", "1.0", "h">']
    base = generate(options(*found, option("bool", "true"), *later)).ABase
    assert str(base(tuple_="y")) == "a{tuple=y}"
    assert [each.name for each in base.option_infos()] == [*names, "x", "ls", "f"]


def test_options_are_those_of_the_pass_and_of_a_class_of_their_own(
    generate: Callable[..., Any],
) -> None:
    """A pass is an instance of the class of its options, which can be read by itself."""
    module = generate(options(option("unsigned", "8"), option("bool", "true", name="flag")))
    assert module.AOptions.__bases__ == (Options,)
    assert module.ABase.__bases__[0] is module.AOptions
    assert module.AOptions.parse("x=3").x == 3
    assert str(module.ABase(x=3, flag=False)) == "a{flag=false x=3}"


def test_statistics(generate: Callable[..., Any]) -> None:
    """Statistics keep their names in reports, and have Python's in the class."""
    module = generate("""
        def A : Pass<"a"> {
          let statistics = [Statistic<"numCSEd", "num-cse'd", "Number">,
                            Statistic<"name", "name", "Taken">];
        }""")
    found = {each.name: each.description for each in module.ABase.statistics()}
    assert found == {"num-cse'd": "Number", "name": "Taken"}
    assert module.ABase.num_cs_ed.name == "num-cse'd"
    assert module.ABase.name_.name == "name"


def test_names_of_options(generate: Callable[..., Any]) -> None:
    """Fields are called as the variables in C++; as the options if that is no name in Python."""
    module = generate("""
        def A : Pass<"a"> {
          let options = [
            Option<"optLevel", "O", "int", "2", "">,
            Option<"title", "name", "std::string", "\\"x\\"", "">,
            Option<"threeD", "3d", "bool", "", "">,
            Option<"apiVersion", "api_version", "int", "1", "">,
            Option<"mixedCase", "mixed", "int", "1", "">,
            Option<"class", "kind", "int", "1", "">
          ];
        }""")
    fields = {info.name: info.field for info in module.ABase.option_infos()}
    assert fields == {
        "O": "opt_level",
        "name": "title",
        "3d": "three_d",
        "api_version": "api_version",
        "mixed": "mixed_case",
        "kind": "kind",
    }


# -- Types and defaults ----------------------------------------------------------------------

CHOICES = (
    'llvm::cl::values(clEnumValN(ns::M::A, "a", "Is a, (b)"), clEnumValN(ns::M::B, "b-c", ""))'
)

KNOWN = [
    ("bool", "", "", False, ""),
    ("bool", "true", "", True, ""),
    ("bool", "0", "", False, ""),
    ("int", "", "", 0, "<int>"),
    ("int", "-0x10", "", -16, "<int>"),
    ("int64_t", "std::numeric_limits<int64_t>::min()", "", -(2**63), "<long>"),
    ("unsigned", "-1u", "", 2**32 - 1, "<uint>"),
    ("unsigned", "-1", "", 2**32 - 1, "<uint>"),
    ("uint64_t", "std::numeric_limits<uint64_t>::max()", "", 2**64 - 1, "<ulong>"),
    ("const ::llvm::StringRef &", '"a\\n" "b"', "", "a\nb", "<string>"),
    ("std::string", "", "", "", "<string>"),
    ("double", "1e-3", "", 0.001, "<number>"),
    ("double", "0.30f", "", 0.3, "<number>"),
    ("float", "2", "", 2.0, "<number>"),
    ("::ns::M", "M::B", CHOICES, "b-c", "<a|b-c>"),
    ("enum M", "::mlir::ns::M::A", CHOICES, "a", "<a|b-c>"),
]


@pytest.mark.parametrize(("type_", "default", "flags", "value", "metavar"), KNOWN)
def test_types_and_defaults(
    type_: str,
    default: str,
    flags: str,
    value: Any,
    metavar: str,
    generate: Callable[..., Any],
) -> None:
    """What a compiler would make of a default is the default in Python."""
    (info,) = generate(options(option(type_, default, flags))).ABase.option_infos()
    assert (info.default, type(info.default)) == (value, type(value))
    assert info.codec.metavar == metavar


UNKNOWN: list[tuple[str, str, str, str, list[str]]] = [
    ("MyType", "MyType::A", "", "str | None", ["C++ type: `MyType`.", "C++ default: `MyType::A`."]),
    ("int", "kDefault", "", "Int32 | None", ["C++ default: `kDefault`."]),
    ("int", "2147483648", "", "Int32 | None", ["C++ default: `2147483648`."]),
    ("int", "010", "", "Int32 | None", ["C++ default: `010`."]),
    ("std::string", "Name.str()", "", "str | None", ["C++ default: `Name.str()`."]),
    ("M", "", CHOICES, 'Literal["a", "b-c"] | None', []),
    ("M", "M::C", CHOICES, 'Literal["a", "b-c"] | None', ["C++ default: `M::C`."]),
    ("OpPassManager", "", "", "OpPassManager | None", []),
]


@pytest.mark.parametrize(("type_", "default", "flags", "annotation", "notes"), UNKNOWN)
def test_what_cannot_be_told(
    type_: str,
    default: str,
    flags: str,
    annotation: str,
    notes: list[str],
    td_file: Callable[[str], Path],
    generate: Callable[..., Any],
) -> None:
    """What needs a compiler is kept as text in a note, and has no default in Python."""
    text = options(option(type_, default, flags))
    source = pass_decls(read_passes(str(td_file(text))))
    assert f"    x: {annotation} = None\n" in source
    for note in notes:
        assert f"    # {note}\n" in source
    assert generate(text).ABase().x is None


def test_lists(generate: Callable[..., Any]) -> None:
    """List options are tuples of the type of their elements."""
    module = generate(
        options(
            'ListOption<"x", "x", "int64_t", "">',
            f'ListOption<"y", "y", "M", "", [{{{CHOICES}}}]>',
            'ListOption<"z", "z", "OpPassManager", "">',
        )
    )
    assert str(module.ABase(x=(1, 2), y=("b-c",))) == "a{x={1,2} y={b-c}}"
    assert module.ABase().z == ()


# -- Registration ----------------------------------------------------------------------------


def test_registration_is_lazy(generate: Callable[..., Any], tmp_path: Path) -> None:
    """The module with the passes is imported when one of them is first used."""
    module = generate('def A : Pass<"a">; def B : Pass<"b">;', group="MyGroup", module="own_passes")
    (tmp_path / "own_passes.py").write_text(
        "from declared import ABase\nclass A(ABase):\n    def run(self, op, ctx): ...\n"
    )
    registry = PassRegistry()
    module.register_my_group_passes(registry)
    assert [info.name for info in registry.passes()] == ["a", "b"]
    assert "own_passes" not in sys.modules
    try:
        found = registry.lookup_pass("a")
        assert found is not None
        assert found.pass_class.__name__ == "A"
        missing = registry.lookup_pass("b")
        assert missing is not None
        with pytest.raises(TypeError, match="module 'own_passes' has no attribute 'B'"):
            _ = missing.pass_class
    finally:
        del sys.modules["own_passes"], sys.modules["declared"]


def test_texts_are_kept(generate: Callable[..., Any]) -> None:
    """Quotes, backslashes and other alphabets in texts survive."""
    odd = 'say \\"\\"\\"hi\\"\\"\\" \\\\ it\'s \N{GREEK SMALL LETTER PI}'
    module = generate(f"""
        def A : Pass<"a"> {{
          let summary = "{odd}";
          let description = "{odd}";
          let options = [Option<"x", "x", "std::string", [{{"a\\"b'c\\\\d"}}], "{odd}">];
          let statistics = [Statistic<"y", "y", "{odd}">];
        }}
        def B : Pass<"b"> {{ let summary = "ends in \\"quotes\\""; let description = "a\\\\b"; }}""")
    plain = 'ay """hi""" \\ it\'s \N{GREEK SMALL LETTER PI}'
    assert module.ABase.summary() == f"S{plain}."
    assert f"\n\ns{plain}" in (getdoc(module.ABase) or "")
    (info,) = module.ABase.option_infos()
    assert (info.default, info.help) == ("a\"b'c\\d", f"s{plain}")
    assert module.ABase.y.description == f"s{plain}"
    assert module.BBase.summary() == 'Ends in "quotes".'
    assert "\n\na\\b" in (getdoc(module.BBase) or "")


def test_files_of_mlir_run(
    mlir_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is generated for MLIR's files defines a class per pass, each of which prints."""
    passes = mlir_passes(mlir_file)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    module = imported(pass_decls(passes, group="mlir"), tmp_path)
    for declared in passes:
        made = getattr(module, f"{declared.def_name}Base")()
        assert str(made) == declared.argument
        names = [info.name for info in made.option_infos()]
        assert names == [each.argument for each in declared.options]


def pyright_errors(directory: Path) -> list[str]:
    """Return what pyright in its strict mode finds in a directory's files."""
    pytest.importorskip("pyright")
    (directory / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "strict", "pythonVersion": "3.11"})
    )
    command = [str(Path(sys.executable).with_name("pyright")), "--outputjson"]
    command += ["--pythonpath", sys.executable, "-p", str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"]
    return [f"{each['file']}: {each['message']}" for each in found["generalDiagnostics"]]


USER = """
from typing import Any, Literal, assert_type

from passel import OpPassManager, PassContext

from declared import ABase


class A(ABase):
    def run(self, op: Any, ctx: PassContext) -> None:
        assert_type(self.flag, bool)
        assert_type(self.number, int)
        assert_type(self.real, float)
        assert_type(self.text, str)
        assert_type(self.x, Literal["a", "b-c"])
        assert_type(self.items, tuple[int, ...])
        assert_type(self.pipeline, OpPassManager | None)
        assert_type(self.unknown, str | None)
        ctx.count(self.seen)


A(number=3, x="a", items=(1,), text="t", flag=True, real=0.5)
"""


@pytest.mark.sweep
def test_types_are_inferred(td_file: Callable[[str], Path], tmp_path: Path) -> None:
    """Strict pyright knows the type of each option of a derived class, and finds wrong values."""
    path = td_file(f"""
        def A : Pass<"a"> {{
          let options = [
            {option("bool", name="flag")}, {option("unsigned", "1", name="number")},
            {option("double", "1.0", name="real")}, {option("std::string", name="text")},
            {option("M", "M::A", CHOICES)}, {option("OpPassManager", name="pipeline")},
            {option("Unknown", name="unknown")}, ListOption<"items", "items", "int", "">];
          let statistics = [Statistic<"seen", "seen", "Seen">];
        }}""")
    (tmp_path / "declared.py").write_text(pass_decls(read_passes(str(path))))
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(f'{USER}A(number="3")\nA(x="c")\n')
    files = [each.partition(": ")[0] for each in pyright_errors(tmp_path)]
    assert files == [str(tmp_path / "wrong.py")] * 2


@pytest.mark.sweep
def test_files_of_mlir_pass_strict_pyright(tmp_path: Path) -> None:
    """Strict pyright finds nothing in what is generated for MLIR's files."""
    for number, file in enumerate(sorted(declarations().glob("**/Passes.td"))):
        source = pass_decls(mlir_passes(file), group="mlir")
        (tmp_path / f"declared_{number}.py").write_text(source, encoding="utf-8")
    assert pyright_errors(tmp_path) == []
