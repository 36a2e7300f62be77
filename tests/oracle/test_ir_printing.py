"""Dumps of IR, compared with the real mlir-opt: headers, order, empty lines, text and files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import SHARDING_PROPAGATION

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt, Outcome, Tool

SOURCE = """\
module @top {
  func.func @f(%arg0: i32) -> i32 {
    %0 = arith.addi %arg0, %arg0 : i32
    %1 = arith.addi %arg0, %arg0 : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
  func.func private @g(i32) -> i32
  func.func @h(%arg0: i32) -> i32 {
    return %arg0 : i32
  }
  module {
    func.func private @k(%arg0: i32) -> i32 {
      %0 = arith.addi %arg0, %arg0 : i32
      %1 = arith.addi %arg0, %arg0 : i32
      %2 = arith.muli %0, %1 : i32
      return %2 : i32
    }
  }
}
"""

# With nothing in it that MLIR's pass below wants to know more of.
CALLS = """\
module @top {
  func.func @f(%arg0: i32) -> i32 {
    return %arg0 : i32
  }
  func.func private @g(i32) -> i32
  func.func @h(%arg0: i32) -> i32 {
    return %arg0 : i32
  }
}
"""

NESTED = "builtin.module(func.func(cse,canonicalize),symbol-dce)"
DEEP = "builtin.module(builtin.module(func.func(cse),symbol-dce),canonicalize)"
FAILING = "builtin.module(func.func(cse,sharding-propagation,canonicalize),symbol-dce)"

SOURCES = {NESTED: SOURCE, DEEP: SOURCE, FAILING: CALLS}

BEFORE, AFTER = "--mlir-print-ir-before-all", "--mlir-print-ir-after-all"
CHANGE, FAILURE = "--mlir-print-ir-after-change", "--mlir-print-ir-after-failure"
SCOPE = "--mlir-print-ir-module-scope"
GENERIC = "--mlir-print-op-generic"

CASES = [
    (NESTED, BEFORE),
    (NESTED, AFTER),
    (NESTED, BEFORE, AFTER),
    (NESTED, AFTER, SCOPE),
    (NESTED, BEFORE, SCOPE),
    (NESTED, CHANGE),
    (NESTED, AFTER, CHANGE),
    (NESTED, BEFORE, AFTER, CHANGE, SCOPE),
    (NESTED, "--mlir-print-ir-after=cse"),
    (NESTED, "--mlir-print-ir-before=symbol-dce,cse"),
    (NESTED, "--mlir-print-ir-before=canonicalize", "--mlir-print-ir-after=cse"),
    (NESTED, "--mlir-print-ir-after=cse", AFTER),
    (NESTED, "--mlir-print-ir-after=cse", CHANGE),
    (NESTED, FAILURE),
    (NESTED, SCOPE),
    (NESTED, AFTER, "--mlir-print-local-scope"),
    (NESTED, AFTER, SCOPE, "--mlir-print-local-scope"),
    (DEEP, AFTER),
    (DEEP, AFTER, SCOPE),
    (DEEP, AFTER, CHANGE),
    (FAILING, AFTER),
    (FAILING, FAILURE),
    (FAILING, FAILURE, AFTER),
    (FAILING, FAILURE, "--mlir-print-ir-after=cse"),
    (FAILING, FAILURE, BEFORE, SCOPE),
    (FAILING, AFTER, CHANGE),
]

_DIAGNOSTIC = re.compile(
    r"""^\S+:\d+:\d+:\ error:.*\n                  # the message
        (?:(?!//\ -----|func|module).*\n)*         # what it shows and adds
    """,
    re.MULTILINE | re.VERBOSE,
)
_REPLAY = re.compile(r"^passel-opt: note: .*\n", re.MULTILINE)


@pytest.fixture
def passel(tool: Tool) -> Callable[..., Outcome]:
    """passel-opt, which gets a plugin for the pipelines with a pass of MLIR's."""
    Path("plugin.py").write_text(SHARDING_PROPAGATION)

    def run(pipeline: str, *flags: str, source: str = "") -> Outcome:
        plugin = ["--load-pass-plugin=plugin.py"] if "sharding" in pipeline else []
        command = [*plugin, f"--pass-pipeline={pipeline}", *flags]
        return tool(*command, stdin=source or SOURCES[pipeline])

    return run


def _normal(text: str) -> str:
    """Reduce a run's messages to what is the same whichever printer printed the IR."""
    text = _DIAGNOSTIC.sub("error\n", _REPLAY.sub("", text))
    return text.replace("builtin.module ", "module ").replace("func.return", "return")


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case[1:]))
def test_same_dumps(
    case: tuple[str, ...], mlir_opt: MlirOpt, passel: Callable[..., Outcome]
) -> None:
    """Every byte that is printed is the same, but for the spelling of ops and of errors."""
    pipeline, *flags = case
    theirs = mlir_opt(f"--pass-pipeline={pipeline}", *flags, source=SOURCES[pipeline])
    ours = passel(pipeline, *flags)
    assert _normal(ours.err) == _normal(theirs.err)
    assert ours.code == theirs.code


@pytest.mark.parametrize(
    ("pipeline", "flags"), [(FAILING, (AFTER, GENERIC)), (DEEP, (BEFORE, GENERIC, SCOPE))]
)
def test_same_headers_in_generic_form(
    pipeline: str, flags: tuple[str, ...], mlir_opt: MlirOpt, passel: Callable[..., Outcome]
) -> None:
    """Headers, lines and the ops on them are the same; properties have another order."""

    def outline(text: str) -> list[str]:
        text = _normal(text)
        return [
            re.sub(r"<\{.*\}>", "", re.sub(r"\^bb0|%\w+|<\{.*?\}>", "", line))
            for line in text.splitlines()
        ]

    theirs = mlir_opt(f"--pass-pipeline={pipeline}", *flags, source=SOURCES[pipeline])
    ours = passel(pipeline, *flags)
    assert outline(ours.err) == outline(theirs.err)


def _files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): _normal(path.read_text())
        for path in sorted(folder.rglob("*.*"))
        if path.is_file()
    }


@pytest.mark.parametrize("pipeline", [NESTED, DEEP, FAILING])
@pytest.mark.parametrize(
    "flags",
    [
        (BEFORE, AFTER, SCOPE),
        (AFTER, CHANGE),
        (FAILURE,),
        ("--mlir-print-ir-before=canonicalize",),
    ],
    ids=" ".join,
)
def test_same_files(
    pipeline: str,
    flags: tuple[str, ...],
    mlir_opt: MlirOpt,
    passel: Callable[..., Outcome],
    tmp_path: Path,
) -> None:
    """The same files with the same content are written."""
    mine, yours = tmp_path / "passel", tmp_path / "mlir"
    mlir_opt(
        f"--pass-pipeline={pipeline}",
        *flags,
        f"--mlir-print-ir-tree-dir={yours}",
        source=SOURCES[pipeline],
    )
    ours = passel(pipeline, *flags, f"--mlir-print-ir-tree-dir={mine}")
    assert "IR Dump" not in ours.err
    assert _files(mine) == _files(yours)


def test_unknown_pass(mlir_opt: MlirOpt, passel: Callable[..., Outcome]) -> None:
    """A name that no pass has is refused by both."""
    flag = "--mlir-print-ir-before=nope"
    theirs, ours = mlir_opt(flag, source=SOURCE), passel(NESTED, flag)
    assert "Cannot find option named 'nope'!" in theirs.err
    assert "'--mlir-print-ir-before': there is no pass 'nope'" in ours.err
    assert ours.code == theirs.code == 1


# -- Wanted differences ------------------------------------------------------------------------

TWINS = """\
module {
  module {
    func.func private @a()
  }
  module {
    func.func private @b()
  }
}
"""
PARTS = "module { func.func @a() { return } }\n// -----\nmodule { func.func @b() { return } }\n"
MODULES = "builtin.module(builtin.module(cse))"

DIFFERENCES: dict[str, tuple[str, str, list[str], list[str], list[str]]] = {
    "ops without a name overwrite each other's files": (
        MODULES,
        TWINS,
        [],
        ["builtin_module_no-symbol-name/builtin_module_no-symbol-name/0_0_cse.mlir"],
        [
            "builtin_module_no-symbol-name/builtin_module_no-symbol-name/0_0_cse.mlir",
            "builtin_module_no-symbol-name/builtin_module_no-symbol-name/0_1_cse.mlir",
        ],
    ),
    "parts of the input overwrite each other's files": (
        "builtin.module(cse)",
        PARTS,
        ["--split-input-file"],
        ["builtin_module_no-symbol-name/0_cse.mlir"],
        ["builtin_module_no-symbol-name/0_cse.mlir", "builtin_module_no-symbol-name/1_cse.mlir"],
    ),
    'a slash in a symbol becomes an underscore, so that @"a/b" and @a_b share a directory': (
        "builtin.module(func.func(cse))",
        'module { func.func private @"a/b"() }',
        [],
        ["builtin_module_no-symbol-name/func_func_a_b/0_0_cse.mlir"],
        ["builtin_module_no-symbol-name/func_func_a%2Fb/0_0_cse.mlir"],
    ),
    "the directory's parent has to exist": (
        "builtin.module(cse)",
        "module @m {}",
        ["--mlir-print-ir-tree-dir={}/deep"],
        [],
        ["deep/builtin_module_m/0_cse.mlir"],
    ),
}


@pytest.mark.parametrize("reason", DIFFERENCES)
def test_different_files(
    reason: str, mlir_opt: MlirOpt, passel: Callable[..., Outcome], tmp_path: Path
) -> None:
    """Where dumps get lost in MLIR, or end up elsewhere, passel keeps them."""
    pipeline, source, flags, expected_theirs, expected_ours = DIFFERENCES[reason]
    mine, yours = tmp_path / "passel", tmp_path / "mlir"

    def flags_for(folder: Path) -> list[str]:
        return [f"--mlir-print-ir-tree-dir={folder}", AFTER, *(f.format(folder) for f in flags)]

    mlir_opt(f"--pass-pipeline={pipeline}", *flags_for(yours), source=source)
    ours = passel(pipeline, *flags_for(mine), source=source)
    assert ours.code == 0
    assert ours.err == ""
    assert sorted(_files(yours)) == expected_theirs
    assert sorted(_files(mine)) == expected_ours


def test_module_scope_needs_no_flag(mlir_opt: MlirOpt, passel: Callable[..., Outcome]) -> None:
    """mlir-opt refuses to print whole modules unless threads are disabled; passel does not."""
    theirs = mlir_opt(f"--pass-pipeline={NESTED}", AFTER, SCOPE, source=SOURCE, threads=True)
    assert "without disabling multi-threading first" in theirs.err
    assert passel(NESTED, AFTER, SCOPE).code == 0
