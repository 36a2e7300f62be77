"""`-gen-pass-doc`: what mlir-tblgen prints, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from td_files import declarations, mlir_passes, mlir_tblgen

from passel.specification import pass_doc, read_passes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def described(text: str) -> str:
    """Return a pass with a description, given as TableGen writes a string."""
    return f'def A : Pass<"a"> {{ let description = {text}; }}'


OPTIONS = """let options = [
    Option<"x", "x", "int", "0", "desc x">,
    Option<"longer", "longer-one", "bool", "", "multi\\nline">,
    Option<"accent", "\N{LATIN SMALL LETTER E WITH ACUTE}tendu", "bool", "", "counted in bytes">,
    ListOption<"l", "l", "int", "">
];"""
STATISTICS = 'let statistics = [Statistic<"a", "a", "b">, Statistic<"b", "two words", "c\\nd  ">];'

CORNERS = {
    "no passes": "",
    "nothing but a name": 'def A : Pass<"a">;',
    "summary in lower case": 'def A : Pass<"a"> { let summary = "lower case"; }',
    "summary with accent": 'def A : Pass<"a"> { let summary = "\N{LATIN SMALL LETTER E WITH ACUTE}t"; }',
    "summary in spaces": 'def A : Pass<"a"> { let summary = "  spaced\\tout  "; }',
    "summary of two lines": 'def A : Pass<"a"> { let summary = [{\n  two\n  lines\n }]; }',
    "description": described("[{\n    Text\n      more\n    end\n  }]"),
    "description of one line": described('"one line"'),
    "description that ends in empty lines": described('"one line\\n\\n\\n"'),
    "description that begins with empty lines": described(
        '"\\n\\n   one\\n\\n   two\\n   \\n\\n  three  "'
    ),
    "description with tabs": described('"\\n\\t\\tone\\n\\ttwo\\n   three"'),
    "description with lines of spaces": described("[{\n    Text\n \n      \n    end   \n\n  }]"),
    "description of spaces": described('"   "'),
    "description of empty lines": described('"\\n  \\n"'),
    "description with its first line at the left": described("[{First\n    second\n    third}]"),
    "description with carriage returns": described("[{\r\n  one\r\n\r\n    two\r\n}]"),
    "options": f'def A : Pass<"a"> {{ {OPTIONS} }}',
    "statistics": f'def A : Pass<"a"> {{ {STATISTICS} }}',
    "everything": f"""
        def A : Pass<"a", "ModuleOp"> {{
          let summary = "s";
          let description = [{{
            First.
          }}];
          {OPTIONS} {STATISTICS}
        }}
        def B : InterfacePass<"b", "I"> {{ let description = "d"; }}
        def C : PassBase<"c", "Own"> {{ let summary = "s"; {STATISTICS} }}""",
    "order": """
        def A : Pass<"z">; def B : Pass<"A">; def C : Pass<"b-a">; def D : Pass<"b">;
        def E : Pass<"B">; def F : Pass<"_">; def : Pass<"unnamed">; def "" : Pass<"none">;
        multiclass M<string a> { def Y : Pass<a>; }
        defm Z : M<"q">;
        foreach i = [1, 2] in def P#i : Pass<"p"#i>;""",
}


@pytest.mark.parametrize("text", CORNERS.values(), ids=CORNERS)
def test_corners(text: str, td_file: Callable[[str], Path], tmp_path: Path) -> None:
    """Every way to write a summary, a description, options and an order comes out alike."""
    path = td_file(text)
    (tmp_path / "own" / "mlir" / "Pass").mkdir(parents=True)
    ours = "passel/specification/include"
    assert pass_doc(read_passes(str(path))) == mlir_tblgen("-gen-pass-doc", path, f"-Isrc/{ours}")


def test_files_of_mlir(mlir_file: Path) -> None:
    """MLIR's own declarations come out as mlir-tblgen documents them."""
    expected = mlir_tblgen("-gen-pass-doc", mlir_file, f"-I{declarations()}")
    assert pass_doc(mlir_passes(mlir_file)) == expected


def test_a_blank_summary_is_none(td_file: Callable[[str], Path]) -> None:
    """A summary of white space, on which mlir-tblgen crashes, is left out."""
    path = td_file('def A : Pass<"a"> { let summary = "  "; }')
    assert pass_doc(read_passes(str(path))).endswith("\n### `-a`\n")
