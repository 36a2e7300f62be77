"""From file to file in worker processes, with the output of one process."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sliced_inputs import PLUGIN, functions, in_module
from xdsl_inputs import CORPUS, REAL_FILES, sampled

from passel.tool import cutting, driver, sharding

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import Outcome, Tool

    from passel.ir.frontend import SourcePart
    from passel.tool.shared import Shared

    Compare = Callable[..., Outcome]

CLEAN = "-p=builtin.module(func.func(cse,canonicalize))"
SPECIAL = "-p=builtin.module(func.func({}))"

GLOBAL = 'sym_name = "g", type = memref<4xi32>, sym_visibility = "private", initial_value'


@pytest.fixture
def shared_out(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each source that was processed so far, whether it was in shards; none is too small."""
    used: list[bool] = []
    process = sharding.process_in_shards

    def spy(source: SourcePart, shared: Shared) -> str | bytes | None:
        result = process(source, shared)
        used.append(result is not None)
        return result

    monkeypatch.setattr(driver, "_WORTH_SHARDING", 0)
    monkeypatch.setattr(cutting, "_PER_FORK", 1)
    monkeypatch.setattr(sharding, "process_in_shards", spy)
    return used


@pytest.fixture
def compare(tool: Tool, shared_out: list[bool], monkeypatch: pytest.MonkeyPatch) -> Compare:
    """Run passel-opt on a text in one process and in two; the outcomes must be the same.

    `in_shards` says whether there must be shards, None that it does not matter.
    """

    def run(text: str, *arguments: str, in_shards: bool | None = True) -> Outcome:
        Path("in.mlir").write_text(text, encoding="utf-8")
        if "--load-pass-plugin=p.py" in arguments:
            Path("p.py").write_text(PLUGIN, encoding="utf-8")
        outcomes: list[Outcome] = []
        for jobs in "12":
            monkeypatch.setenv("PASSEL_JOBS", jobs)
            outcomes.append(tool("in.mlir", *arguments))
        plain, found = outcomes
        assert found == plain
        assert not shared_out[-2]
        if in_shards is not None:
            assert shared_out[-1] == in_shards
        return found

    return run


@pytest.mark.parametrize(
    "flags",
    [
        (),
        (CLEAN,),
        (CLEAN, "--mlir-print-debuginfo"),
        (CLEAN, "--mlir-print-op-generic"),
        (CLEAN, "--mlir-print-local-scope", "--verify-each=false"),
        ("-p=builtin.module(func.func(canonicalize),any(cse))", "--mlir-print-debuginfo"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    "text",
    [
        functions(),
        in_module(functions()),
        in_module(functions(), "module @name attributes {a = 1 : i32, b = @f3} {"),
        in_module(functions(), '"builtin.module"() ({', "}) {b = 2 : i32} : () -> ()"),
        "// A comment {\n\n#map = affine_map<(d0) -> (d0)>\n!t = i32\n"
        + in_module(functions().replace("-> i32 {", "-> !t attributes {m = #map} {"), "module {"),
        f"!t = i32\n// More\n{functions().replace('-> i32 {', '-> !t {')}// The end {{",
        in_module("// {\n" + functions().replace("}\n", "} // }\n\n")),
    ],
    ids=["bare", "module", "attributes", "generic", "aliases", "bare aliases", "comments"],
)
def test_results_are_the_same(compare: Compare, text: str, flags: tuple[str, ...]) -> None:
    """Whatever stands around the functions, and however they are printed, the output is the same."""
    assert compare(text, *flags).code == 0


def test_shards_refer_to_each_other(compare: Compare) -> None:
    """Calls, globals and symbols in nested modules of other shards are verified and kept."""
    calls = "".join(
        f"""\
func.func private @x{i}(i32) -> i32
func.func @f{i}(%a: i32) -> i32 {{
  %0 = func.call @f{(i * 7 + 3) % 16}(%a) : (i32) -> i32
  %1 = func.call @x{(i * 5) % 16}(%0) : (i32) -> i32
  %2 = memref.get_global @g : memref<4xi32>
{"".join(f"  %c{j} = arith.constant {j} : i32{chr(10)}" for j in range(40))}  return %1 : i32
}}
"""
        for i in range(16)
    )
    text = f'{calls}"memref.global"() <{{{GLOBAL}}}> : () -> ()\n'
    assert compare(text, CLEAN).code == 0
    text = text.replace("func.call @f3(%a)", "func.call @f33(%a)")
    assert "@f33" in compare(text, CLEAN, in_shards=False).err


@pytest.mark.parametrize(
    "text",
    [
        f"{functions()}{functions(1)}",
        f"{functions()}func.func @last() {{\n",
        functions().replace("%a : i32\n  %named = arith.addi %0, %a", "%b : i32\n  %named = x", 9),
        f"{functions()}func.func @last() {{\n  arith.constant\n}}\n",
        in_module(functions()) + functions(1),
        in_module(functions()) + "}",
        in_module(functions())[:-3],
        f"{functions()}!late = i32\n",
        f"{functions(8)}!late = i32\n{functions(9)[-200:]}",
        f"{functions(8)}^bb1:\n{functions(9)[-200:]}",
        f"{functions(9)}builtin.module {{\n}}\n",
        functions().replace("@f9", '@"f9"'),
        functions().replace("}\n", "} loc(unknown)\n").replace("@f9", "@f9_"),
        functions().replace("\n  ", "\n"),
        functions().replace("\n", " "),
        functions().replace("i32 {\n", "i32\n{\n"),
        f"%x = arith.constant 1 : i32\n{functions()}",
        f"{functions()}%x = arith.constant 1 : i32\n",
        functions()
        + '"test.op"() : () -> ()\n"test.op"() ({\n  %0 = "test.op"() : () -> i32\n}) : () -> ()\n',
        "",
        "// Nothing",
        "module {\n}\n",
        functions(1),
    ],
)
def test_odd_texts(compare: Compare, text: str) -> None:
    """Wrong or unusual texts give the same errors and the same output."""
    compare(text, CLEAN, "--allow-unregistered-dialect", in_shards=None)


def test_misleading_layouts(compare: Compare) -> None:
    """A function that stands elsewhere, but indented as those at the top, is no shard."""
    inner = in_module(functions(6), "  module @inner {", "  }").replace("\n    ", "\n  ")
    text = in_module(functions(1)).replace("\n}\n", f"\n{inner}}}\n")
    assert compare(text, CLEAN, in_shards=False).code == 0


@pytest.mark.parametrize(
    "name",
    [
        "warn",
        "fail",
        "crash",
        "say",
        "write",
        "die",
        "leave",
        "add",
        "mark-module",
        "rename",
        "peek",
        "keep",
        "touch",
    ],
)
def test_passes_that_shards_are_not_for(compare: Compare, name: str) -> None:
    """What a pass says, or does beside its op, shows as if there had been one process."""
    text = in_module(functions(), "module {")
    compare(text, SPECIAL.format(f"cse,{name}"), "--load-pass-plugin=p.py", in_shards=False)


@pytest.mark.parametrize("called", ["f7", "f3"])
def test_a_changed_callee(compare: Compare, called: str) -> None:
    """A pass that makes the call of a function in another shard invalid is found out."""
    filling = "".join(f"    %c{i} = arith.constant {i} : i32\n" for i in range(30))
    head = "  func.func @{}(%a: i32) {{\n"
    bodies = "".join(f"{head.format(f'f{i}')}{filling}    return\n  }}\n" for i in range(16))
    call = f"    func.call @{called}(%a) : (i32) -> ()\n"
    caller = f"{head.format('caller')}{call}{filling}    return\n  }}\n"
    plugin = ("--load-pass-plugin=p.py", SPECIAL.format("retype"))
    found = compare(f"module {{\n{bodies}{caller}}}\n", *plugin, in_shards=called != "f7")
    assert found.code == (called == "f7")


@pytest.mark.parametrize(
    "flags",
    [
        ("-p=builtin.module(func.func(cse),symbol-dce)",),
        ("--cse",),
        (CLEAN, "--mlir-timing", "--info-output-file=timing.txt"),
        (CLEAN, "--split-input-file"),
        (CLEAN, "--mlir-print-ir-after-all"),
        (CLEAN, "--dump-pass-pipeline"),
        (CLEAN, "--verify-diagnostics"),
        (CLEAN, "--mlir-disable-threading"),
        (CLEAN, "--mlir-pass-statistics"),
        (CLEAN, "-t=riscv-asm"),
        (CLEAN, "--no-implicit-module"),
        (CLEAN, "--mlir-generate-reproducer=repro.mlir"),
        ("-p=func.func(cse)",),
    ],
    ids=" ".join,
)
def test_flags_that_shards_are_not_for(compare: Compare, flags: tuple[str, ...]) -> None:
    """What concerns the whole is done on the whole."""
    compare(functions(), *flags, in_shards=False)


def test_unasked(tool: Tool, shared_out: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `-j`, there are shards for passes alone that declare `can_fork` themselves."""
    monkeypatch.setattr(cutting, "processors", lambda: 2)
    monkeypatch.delenv("PASSEL_JOBS", raising=False)
    Path("p.py").write_text(PLUGIN, encoding="utf-8")
    for passes in ("cse,canonicalize,dce", "cse,quiet"):
        plugin = ("--load-pass-plugin=p.py", SPECIAL.format(passes))
        assert tool("-", *plugin, stdin=functions()).code == 0
    assert tool("-", CLEAN, "-j=auto", stdin=functions()).code == 0
    assert shared_out == [True, False, True]


def test_resources_are_not_cut(tool: Tool, shared_out: list[bool]) -> None:
    """Resources are printed with the op at the top, once."""
    constant = "  %r = arith.constant dense_resource<r> : tensor<1xi32>\n  %0"
    blob = '{-#\n  dialect_resources: {\n    builtin: {\n      r: "0x0400000001000000"\n    }\n  }\n#-}\n'
    text = functions().replace("  %0", constant) + blob
    assert "dialect_resources" in tool("-", "-j2", stdin=text).out
    assert shared_out == [False]


@sampled(37)
def test_corpus(compare: Compare, step: int) -> None:
    """Tests of xDSL itself, and real files, give the same output and the same errors."""
    files = [*sorted(CORPUS.rglob("*.mlir")), *sorted(REAL_FILES.rglob("*.mlir"))]
    for file in files[::step]:
        text = file.read_text(encoding="utf-8")
        # Less is not cut, and resources are renamed when they are read again by one process.
        if text.count("\n") > 20 and "dense_resource" not in text:
            compare(text, CLEAN, "--allow-unregistered-dialect", in_shards=None)


@pytest.mark.parametrize("seed", range(8))
def test_lines_out_of_place(compare: Compare, seed: int) -> None:
    """A text with lines missing, doubled or swapped gives the same output or the same error."""
    choose = random.Random(seed)  # noqa: S311 - no secret
    lines = in_module(functions(), "module {").splitlines(keepends=True)
    first, second = sorted(choose.sample(range(len(lines)), 2))
    match seed % 4:
        case 0:
            del lines[first]
        case 1:
            lines.insert(second, lines[first])
        case 2:
            lines[first], lines[second] = lines[second], lines[first]
        case _:
            lines[first] = lines[first].replace("i32", "i64")
    compare("".join(lines), CLEAN, in_shards=None)
