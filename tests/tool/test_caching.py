"""Results kept across runs: a hit cannot be told from a miss."""

from __future__ import annotations

import json
import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from features import FEATURES, Case
from sliced_inputs import PLUGIN as SHARD_PLUGIN
from sliced_inputs import functions, in_module
from tool_fixtures import only_error
from xdsl_inputs import CORPUS, REAL_FILES, sampled

from passel.diagnostics import Diagnostic, Extent, Location, Severity
from passel.store import LocalStore, Report, code, known
from passel.tool import driver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tool_fixtures import Outcome, Tool

CLEAN = "-p=builtin.module(func.func(cse,canonicalize))"
LOOK = "-p=builtin.module(func.func(look{value=3}))"

PLUGIN = """
from helper import BONUS, doubled
from passel import Pass
from package.inner import INNER
from xdsl.dialects.builtin import StringAttr

class Base(Pass):
    can_fork = True
    CONSTANT = 1

class Look(Base):
    name = "look"
    can_fork = True
    value: int = 1
    other: int = 5

    def cache_key(self):
        return ""

    def run(self, op, ctx):
        from late import LATE
        module = op.parent_op()
        said = [BONUS, doubled(1), INNER, LATE, self.CONSTANT, self.value, self.other]
        said += [str(module.attributes), str(module.properties), str(op.location)]
        for each in op.walk():
            callee = each.properties.get("callee") or each.properties.get("name")
            for other in module.body.ops if callee else ():
                if other.properties["sym_name"].data == callee.string_value():
                    said += map(str, other.properties.values())
                    said += [str(other.attributes)]
        if op.body.blocks:
            op.body.block.first_op.attributes["said"] = StringAttr(repr(said))
"""

IMPORTS = """
from passel import Pass, PassFailure
from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
"""

REPORT = "-p=builtin.module(func.func(cse,tell),any(canonicalize))"

REPORTING = """
from passel import Pass, Statistic

class Tell(Pass):
    name = "tell"
    can_fork = True
    seen = Statistic("Ops seen")

    def run(self, op, ctx):
        ctx.count(self.seen, sum(1 for _ in op.walk()))
        if (number := int(op.sym_name.data[1:])) % 3 == 0:
            first = op.body.blocks[0].first_op
            ctx.emit_warning(f"look at {number}", first).attach_note("from here")
            ctx.emit_remark("done")
"""

SAYING = """
class Say(Pass):
    name = "say"
    can_fork = True

    def run(self, op, ctx):
        ctx.emit_warning(f"say {op.sym_name.data[1:]}", op)
"""

LOOKS = {
    "module": "sum(1 for _ in op.parent_op().walk())",
    "block": "len(op.parent.ops)",
    "first": "op.parent.first_op",
    "private": "op.parent._last_op",
    "next": "op.next_op",
    "symbol": 'SymbolTable.lookup_symbol(op.parent_op(), "callee")',
    "printed": "str(op.parent_op())",
}

LOOKING = (
    IMPORTS
    + """
from xdsl.traits import SymbolTable

class Peek(Pass):
    name = "peek"
    can_fork = True

    def run(self, op, ctx):
        op.attributes["said"] = StringAttr(str({}))
"""
)

FILES = {
    "p.py": PLUGIN,
    "helper.py": "BONUS = 1\ndef doubled(x):\n    return 2 * x\n",
    "late.py": "LATE = 1\n",
    "package/__init__.py": "",
    "package/inner.py": "from beside import BESIDE\nfrom . import near\nINNER = BESIDE + near.NEAR\n",
    "package/near.py": "NEAR = 1\n",
    "beside/__init__.py": "from deep import DEEP as BESIDE\n",
    "deep.py": "DEEP = 1\n",
}

OWN_CODE = ("helper", "late", "package", "package.inner", "package.near", "beside", "deep")

TEXT = """\
#alias = "first"
!word = i32
module @name attributes {a = 1 : i32} {
  "memref.global"() <{sym_name = "g", type = memref<1xi32>, sym_visibility = "private", initial_value = dense<1> : tensor<1xi32>}> : () -> ()
  func.func @callee(%a: i32 {x.y = 1 : i32}) -> i32 attributes {tag = #alias} {
    func.return %a : i32
  }
  func.func private @outside(i32) -> !word
  func.func @f(%a: i32) -> i32 {
    %0 = arith.constant 1 : i32
    %1 = func.call @callee(%0) : (i32) -> i32
    %2 = memref.get_global @g : memref<1xi32>
    func.return %1 : i32
  }
  func.func @h(%a: !word) -> i32 {
    %0 = func.call @outside(%a) : (i32) -> i32
    func.return %0 : i32
  }
  func.func @last(%a: i32) -> i32 {
    %0 = func.call @f(%a) : (i32) -> i32
    func.return %0 : i32
  }
}
"""


class Mutation(NamedTuple):
    """A change of one part of the key: in a file, or flags that are added."""

    file: str
    old: str
    new: str
    flags: tuple[str, ...] = ()


def _text(old: str, new: str) -> Mutation:
    return Mutation("in.mlir", old, new)


def _flag(*flags: str) -> Mutation:
    return Mutation("in.mlir", "", "", flags)


MUTATIONS = [
    Mutation("helper.py", "BONUS = 1", "BONUS = 2"),
    Mutation("helper.py", "2 * x", "3 * x"),
    Mutation("late.py", "LATE = 1", "LATE = 2"),
    Mutation("package/inner.py", "INNER = ", "INNER = 1 + "),
    Mutation("package/near.py", "NEAR = 1", "NEAR = 2"),
    Mutation("beside/__init__.py", "DEEP as BESIDE", "DEEP\nBESIDE = 5"),
    Mutation("deep.py", "DEEP = 1", "DEEP = 2"),
    Mutation("p.py", "CONSTANT = 1", "CONSTANT = 2"),
    Mutation("p.py", "other: int = 5", "other: int = 6"),
    Mutation("p.py", 'attributes["said"]', 'attributes["told"]'),
    _text('#alias = "first"', '#alias = "second"'),
    _text("!word = i32", "!word = i64"),
    _text("@name attributes", "@other attributes"),
    _text("{a = 1 : i32}", "{a = 2 : i32}"),
    _text(" attributes {a = 1 : i32}", ""),
    _text("dense<1>", "dense<2>"),
    _text('sym_name = "g"', 'sym_name = "k"'),
    _text("x.y = 1", "x.y = 2"),
    _text("tag = #alias", "tag = 3 : i8"),
    _text(" attributes {tag = #alias} {\n", " attributes {\n    tag = 4 : i8} {\n"),
    _text("@callee(%a: i32 {x.y = 1 : i32})", "@callee(%a: i64)"),
    _text("func.func @callee", "func.func @renamed"),
    _text("func.func @callee", "func.func private @callee"),
    _text("private @outside(i32)", "private @outside(i64)"),
    _text(
        "private @outside(i32) -> !word", "private @outside(i32) -> !word attributes {z = 1 : i8}"
    ),
    _text("constant 1", "constant 2"),
    _text(
        "%0 = arith.constant 1 : i32",
        "%name = arith.constant 1 : i32\n    %0 = arith.constant 1 : i32",
    ),
    _text("call @f(", "call @h("),
    _text("call @f(", "call @nowhere("),
    _text("  func.func @f(", "\n  func.func @f("),
    _text("  func.func @f(", "  // More\n  func.func @f("),
    _text("  func.func @f(", "   func.func @f("),
    _text("func.return %1 : i32\n  }", 'func.return %1 : i32\n  } loc("x":1:2)'),
    _text("func.func @last", "func.func @f"),
    _text("}\n}\n", "}\n} {b = 2 : i32}\n"),
    _text("\n  func.func private @outside(i32) -> !word", ""),
    _text("module @name", "// First\nmodule @name"),
    _flag("--mlir-print-op-generic"),
    _flag("--mlir-print-debuginfo"),
    _flag("--print-no-properties"),
    _flag("-p=builtin.module(func.func(look{value=4}))"),
    _flag("-p=builtin.module(func.func(look))"),
    _flag("-p=builtin.module(func.func(look{value=3},dce))"),
    _flag("-p=builtin.module(func.func(look{value=3}),any(cse))"),
    _flag("-p=builtin.module(func.func(look{value=3}),memref.alloc(cse))"),
    _flag("--mlir-pass-statistics"),
    _flag("--mlir-print-ir-after-all"),
    _flag("--mlir-print-local-scope", "--mlir-print-debuginfo"),
]


@pytest.fixture(autouse=True)
def _nothing_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_WORTH_KEEPING", 0)
    monkeypatch.setattr(known, "_WORTH_KEEPING", 0)
    monkeypatch.setattr(code, "LOADED", float("inf"))  # plugins are written by this process
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # changes come within a second


def _write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def _run(tool: Tool, *flags: str) -> Outcome:
    """Run passel-opt, which imports its plugin and what that imports anew."""
    for name in OWN_CODE:
        sys.modules.pop(name, None)
    return tool("in.mlir", *flags)


def _cached(tool: Tool, *flags: str) -> Outcome:
    """Run passel-opt with a store, by the same command line as without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PASSEL_CACHE", "./kept")
        return _run(tool, *flags)


def _known(tool: Tool, *flags: str) -> str:
    """Return what of a run was known."""
    return _run(tool, *flags, "--cache=./kept", "--cache-explain").err


def test_another_run_knows_all(tool: Tool) -> None:
    """What one run keeps, the next one finds, and only what a change concerns is run again."""
    _write({"in.mlir": functions()})
    plain = _run(tool, CLEAN)
    assert "0 of 16 ops known" in _known(tool, CLEAN)
    assert "16 of 16 ops known" in _known(tool, CLEAN)
    assert _cached(tool, CLEAN) == plain
    _write({"in.mlir": functions().replace("constant 7", "constant 99")})
    assert "15 of 16 ops known; of func.func @f7, the text changed\n" in _known(tool, CLEAN)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: f"{each.old}{each.flags}"[:40])
def test_no_result_is_stale(tool: Tool, mutation: Mutation) -> None:
    """Whatever part of the key changes, the result is that of a run that knows nothing."""
    plugin = "--load-pass-plugin=p.py"
    _write({**FILES, "in.mlir": TEXT})
    first = _cached(tool, LOOK, plugin)
    assert first.code == 0
    assert "6 of 6 ops known" in _known(tool, LOOK, plugin)
    text = Path(mutation.file).read_text(encoding="utf-8")
    assert mutation.old in text
    if mutation.old:
        _write({mutation.file: text.replace(mutation.old, mutation.new)})
    flags = (plugin, *mutation.flags)
    if not any(each.startswith("-p=") for each in flags):
        flags = (LOOK, *flags)
    plain = _run(tool, *flags)
    assert plain != first
    for _ in range(2):
        assert _cached(tool, *flags) == plain


@pytest.mark.parametrize("jobs", ["-j1", pytest.param("-j2", marks=pytest.mark.sweep)])
@pytest.mark.parametrize(
    "flags",
    [
        (CLEAN,),
        (CLEAN, "--mlir-print-debuginfo"),
        (CLEAN, "--mlir-print-op-generic"),
        (CLEAN, "--mlir-timing", "--info-output-file=timing.txt"),
        (CLEAN, "--split-input-file"),
        (CLEAN, "-t=riscv-asm"),
        ("-p=builtin.module(func.func(canonicalize),any(cse))",),
        ("-p=builtin.module(func.func(cse),memref.alloc(cse))",),
        ("-p=builtin.module(func.func(cse),symbol-dce)",),
        ("-p=builtin.module(func.func(canonicalize,func.func(cse)))",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    "text",
    [
        functions(),
        in_module(functions(), "module @name attributes {a = 1 : i32, b = @f3} {"),
        pytest.param(
            in_module(functions(), '"builtin.module"() ({', "}) {b = 2 : i32} : () -> ()"),
            marks=pytest.mark.sweep,
        ),
        f"{functions()}{functions(1)}",
        f"{functions()}func.func @last() {{\n",
    ],
    ids=["bare", "module", "generic", "twice", "cut off"],
)
def test_hits_are_misses(tool: Tool, text: str, flags: tuple[str, ...], jobs: str) -> None:
    """Both streams and the exit code are those of a run without a store, each time."""
    _write({"in.mlir": text})
    plain = _run(tool, *flags, jobs)
    for _ in range(2):
        assert _cached(tool, *flags, jobs) == plain


@pytest.mark.parametrize("name", ["fail", "crash", "say", "add", "mark-module", "rename"])
def test_what_is_done_elsewhere_is_not_kept(tool: Tool, name: str) -> None:
    """What a pass does beside its op shows each time, and so does its failure."""
    start = SHARD_PLUGIN.index("class Do(Pass)")
    plugin = (
        IMPORTS
        + SHARD_PLUGIN[start : SHARD_PLUGIN.index("class Write(Do)")]
        + (
            SHARD_PLUGIN[
                SHARD_PLUGIN.index("class Add(Do)") : SHARD_PLUGIN.index("class Retype(Do)")
            ]
        )
    )
    plugin = plugin.replace(f'    name = "{name}"\n', f'    name = "{name}"\n    can_fork = True\n')
    _write({"in.mlir": in_module(functions(), "module {"), "p.py": plugin})
    flags = (f"-p=builtin.module(func.func(cse,{name}))", "--load-pass-plugin=p.py", "-j1")
    plain = _run(tool, *flags)
    for _ in range(2):
        assert _cached(tool, *flags) == plain
    assert "not used: the run fails, or has something to report" in _known(tool, *flags)


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--mlir-pass-statistics",),
        ("--mlir-pass-statistics", "--mlir-pass-statistics-display=json"),
        ("--mlir-print-debuginfo",),
        ("--mlir-diagnostic-verbosity-level=warnings",),
        ("--mlir-disable-diagnostic-notes", "--color=always"),
        ("--split-input-file", "--mlir-pass-statistics"),
    ],
    ids=" ".join,
)
def test_what_is_reported_is_kept(tool: Tool, flags: tuple[str, ...], jobs: str) -> None:
    """What passes report and count of an op is known with its result, wherever the op is then."""
    text = functions()
    if "--split-input-file" in flags:
        text += f"// -----\n{in_module(functions(4))}"
    _write({"in.mlir": text, "p.py": REPORTING})
    flags = (REPORT, "--load-pass-plugin=p.py", jobs, *flags)
    for at in (text, text.replace("constant 3", "constant 33"), "\n" + text):
        _write({"in.mlir": at})
        plain = _run(tool, *flags)
        assert "warning" in plain.err
        for _ in range(2):
            assert _cached(tool, *flags) == plain
    assert "16 of 16 ops known" in _known(tool, *flags)


def test_reports_of_several_pipelines_are_in_their_order(tool: Tool) -> None:
    """What a later one reports of the first op comes after what the first one reports of the last."""
    _write({"in.mlir": functions(), "p.py": REPORTING + SAYING})
    flags = ("-p=builtin.module(func.func(tell),any(say))", "--load-pass-plugin=p.py")
    plain = _run(tool, *flags)
    assert plain.err.index("say 0") > plain.err.index("look at 15")
    for _ in range(2):
        assert _cached(tool, *flags) == plain


def test_reports_move_with_ops_of_known_passes(tool: Tool) -> None:
    """Where no pass looks at places, what is reported of an op is said where it is now."""
    extent, warned = Extent("in", 3, 5), Diagnostic(Severity.WARNING, "look", Location("in", 4, 2))
    warned.attach_note("there", Location("other", 4, 2, caller=Location("in", 5, 1)))
    report = Report((warned,), {("a/0:b", "ops"): 3})
    data = json.loads(json.dumps(report.to_data(lambda: extent)))
    assert Report.of_data(data, lambda: extent) == report
    moved = Report.of_data(data, lambda: Extent("in", 13, 15)).diagnostics[0]
    assert (moved.location.line, moved.notes[0].location.caller) == (14, Location("in", 15, 1))
    for elsewhere in (
        Diagnostic(Severity.ERROR, "x"),
        Diagnostic(Severity.REMARK, "x", Location("in", 9)),
    ):
        with pytest.raises(ValueError, match=r"not kept|elsewhere"):
            Report((elsewhere,)).to_data(lambda: extent)


def test_timing_has_a_row_for_what_is_known(tool: Tool) -> None:
    """The time of looking results up has a row, and only what is run has others."""
    _write({"in.mlir": functions()})
    flags = (CLEAN, "--mlir-timing", "--cache=./kept")
    first, second = _run(tool, *flags), _run(tool, *flags)
    assert first.out == second.out == _run(tool, CLEAN).out
    assert [name in first.err for name in (" cached\n", "CSE", "Parser")] == [True] * 3
    assert [name in second.err for name in (" cached\n", "CSE", "Parser")] == [True, False, False]
    assert second.err.count("Execution time report") == 1


@pytest.mark.parametrize("way", LOOKS)
def test_passes_that_look_at_other_ops_are_not_kept(tool: Tool, way: str) -> None:
    """A pass that looks at a callee's body is run on all of the source each time."""
    _write({"in.mlir": TEXT, "p.py": LOOKING.format(LOOKS[way])})
    flags = ("-p=builtin.module(func.func(cse,peek))", "--load-pass-plugin=p.py")
    for text in (
        TEXT,
        TEXT.replace(
            "func.return %a : i32", "%0 = arith.constant 5 : i32\n    func.return %0 : i32", 1
        ),
    ):
        _write({"in.mlir": text})
        plain = _run(tool, *flags)
        for _ in range(2):
            assert _cached(tool, *flags) == plain
            assert "not used: pass 'peek' looks at more than its op" in _known(tool, *flags)


def test_what_observes_says_that_nothing_is_known(tool: Tool) -> None:
    """One remark says which flag keeps results from being used, if they were asked for."""
    _write({"in.mlir": f"{functions()}// -----\n{functions()}"})
    flags = (CLEAN, "--split-input-file", "--mlir-print-ir-after=cse", "--cache=./kept")
    remark = "remark: no known results are used: --mlir-print-ir-after concerns the run as a whole"
    assert _run(tool, *flags).err.count(remark) == 1
    remark = "remark: no known results are used: results are kept for xDSL's IR alone"
    assert _run(tool, "--ir=mlir", *flags).err.count(remark) == 1


@pytest.mark.parametrize(
    ("mutation", "told"),
    [
        (Mutation("p.py", "CONSTANT = 1", "CONSTANT = 2"), "since the last run, the module '"),
        (Mutation("helper.py", "BONUS = 1", "BONUS = 2"), "helper' changed"),
        (_flag("--mlir-print-op-generic"), "since the last run, --mlir-print-op-generic changed"),
        (
            _flag("-p=builtin.module(func.func(look))"),
            "since the last run, the pipeline's options changed",
        ),
        (
            _flag("-p=builtin.module(func.func(look,cse))"),
            "since the last run, the pipeline changed",
        ),
        (
            _text("{a = 1 : i32}", "{a = 2 : i32}"),
            "since the last run, what is around the ops changed",
        ),
        (
            _text("constant 1", "constant 2"),
            "; of func.func @f, the text changed; of func.func @last, the signature of @f changed",
        ),
        (_text("x.y = 1", "x.y = 2"), "of func.func @f, the signature of @callee changed"),
        (_text("func.func @last", "func.func @end"), "func.func @end is new"),
        (
            _text("  func.func @last", "\n  func.func @last"),
            "of func.func @last, its place changed",
        ),
    ],
    ids=lambda each: "" if isinstance(each, str) else f"{each.old}{each.flags}"[:40],
)
def test_explanations_name_what_changed(tool: Tool, mutation: Mutation, told: str) -> None:
    """The part of the key that differs is named, of ops by their symbols."""
    _write({**FILES, "in.mlir": TEXT})
    _cached(tool, LOOK, "--load-pass-plugin=p.py")
    if mutation.old:
        text = Path(mutation.file).read_text(encoding="utf-8")
        _write({mutation.file: text.replace(mutation.old, mutation.new)})
    pipeline = () if any(each.startswith("-p=") for each in mutation.flags) else (LOOK,)
    assert told in _known(tool, "--load-pass-plugin=p.py", *pipeline, *mutation.flags)


def test_explanations_of_later_parts(tool: Tool) -> None:
    """Each part of split input is compared with the same part of the last run."""
    text = f"{functions(2)}// -----\n!t = i32\n{functions(3)}"
    for at, told in (
        (text, "since the last run"),
        (text.replace("2 :", "5 :"), "; of func.func @f2, the text changed"),
    ):
        _write({"in.mlir": at})
        assert (told in _known(tool, CLEAN, "--split-input-file")) == (at != text)


def test_explanations_of_others_control_no_terminal(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a store says of itself is shown, whatever was put into it, as one line of text."""
    _write({"in.mlir": functions()})

    def find(_: LocalStore, keys: Sequence[bytes]) -> dict[bytes, str]:
        return dict.fromkeys(keys, "\x1b[2Jgone\n\x9b\u202e")

    monkeypatch.setattr(LocalStore, "find", find)
    said = _known(tool, CLEAN)
    assert said == "passel-opt: cache: not used: \\x1b[2Jgone\\n\\x9b\\u202e\n"


def test_passes_that_do_not_say_so_are_not_kept(tool: Tool) -> None:
    """A pass that may keep something from one op to the next is run each time."""
    _write({"in.mlir": functions(), "p.py": SHARD_PLUGIN})
    said = _known(tool, "-p=builtin.module(func.func(quiet))", "--load-pass-plugin=p.py")
    assert "cache: not used: pass 'quiet' may keep something from one op to the next" in said


@pytest.mark.parametrize(
    ("file", "code", "named"),
    [
        ("p.py", "def table(): return open('table')", "'p.py' uses 'open'"),
        ("p.py", "from os.path import exists", "'p.py' uses 'os.path.exists'"),
        ("package/inner.py", "import sqlite3", "'inner.py' uses 'sqlite3'"),
        ("deep.py", "import sys\nV = sys.argv", "'deep.py' uses 'argv'"),
    ],
)
def test_plugins_that_reach_out_are_not_kept(tool: Tool, file: str, code: str, named: str) -> None:
    """Code that may open files depends on more than its text, unless passes say on what."""
    _write({**FILES, "in.mlir": TEXT})
    _write({file: f"{code}\n{FILES[file]}"})
    assert "0 of 6 ops known" in _known(tool, LOOK, "--load-pass-plugin=p.py")
    _write({"p.py": Path("p.py").read_text().replace("cache_key", "key")})
    assert f"not used: {named}, and may" in _known(tool, LOOK, "--load-pass-plugin=p.py")


def test_plugins_of_one_name_are_not_kept(tool: Tool) -> None:
    """Python knows the file of one of them alone."""
    _write({"in.mlir": TEXT, "a/p.py": REPORTING, "b/p.py": REPORTING.replace("tell", "say")})
    plugins = ("--load-pass-plugin=a/p.py", "--load-pass-plugin=b/p.py")
    assert "not used: two plugins have the same name" in _known(tool, REPORT, *plugins)


def test_a_pass_without_a_key_is_not_kept(tool: Tool) -> None:
    """`cache_key` can say that results are never kept."""
    _write({**FILES, "p.py": PLUGIN.replace('return ""', "return None"), "in.mlir": TEXT})
    assert "pass 'look' has no key" in _known(tool, LOOK, "--load-pass-plugin=p.py")
    _write({"p.py": PLUGIN.replace('return ""', "return str(1 / 0)")})
    said = _known(tool, LOOK, "--load-pass-plugin=p.py")
    assert said == (
        "passel-opt: cache: not used: the key of pass 'look': ZeroDivisionError: division by zero\n"
    )


def test_verifying_finds_passes_that_are_not_deterministic(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--cache=verify` runs known ops again, and names one whose result is another."""
    plugin = PLUGIN.replace("LATE, ", "LATE, sys.hidden, ").replace(
        "from helper", "import sys\nfrom helper"
    )
    _write({**FILES, "p.py": plugin, "in.mlir": TEXT})
    flags = (LOOK, "--load-pass-plugin=p.py")
    monkeypatch.setenv("PASSEL_CACHE", "./kept")
    monkeypatch.setattr(known, "_VERIFIED", 1)  # all of them
    monkeypatch.setattr(sys, "hidden", 1, raising=False)
    assert _run(tool, *flags).code == 0
    assert _run(tool, *flags, "--cache=verify").code == 0
    monkeypatch.setattr(sys, "hidden", 2)
    error = only_error(_run(tool, *flags, "--cache=verify"))
    assert "is not what the passes make of it now" in error


def test_reading_keeps_nothing(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--cache=read` uses what is known, and writes nothing."""
    _write({"in.mlir": functions()})
    monkeypatch.setenv("PASSEL_CACHE", "./kept")
    assert _run(tool, CLEAN, "--cache=read").code == 0
    assert not Path("kept").exists()


def test_a_store_that_cannot_be_written_is_a_miss(tool: Tool) -> None:
    """The result is right, and one line says what is wrong."""
    _write({"in.mlir": functions(), "kept": "a file"})
    plain = _run(tool, CLEAN)
    found = _cached(tool, CLEAN)
    assert (found.code, found.out) == (plain.code, plain.out)
    (line,) = found.err.splitlines()
    assert line.startswith("passel-opt: warning: no results are kept: 'kept': ")


def test_modes_are_not_taken_for_directories(tool: Tool) -> None:
    """A misspelt mode is an error with a hint."""
    error = only_error(tool("--cache=verfy", stdin=b""))
    assert "directory such as ./verfy, not 'verfy'; did you mean 'verify'" in error


@sampled(37)
def test_corpus(tool: Tool, step: int) -> None:
    """Tests of xDSL itself, and real files, give the same output and the same errors."""
    files = [*sorted(CORPUS.rglob("*.mlir")), *sorted(REAL_FILES.rglob("*.mlir"))]
    for file in files[::step]:
        text = file.read_text(encoding="utf-8")
        if text.count("\n") > 20 and "dense_resource" not in text:
            _write({"in.mlir": text})
            flags = (CLEAN, "--allow-unregistered-dialect")
            plain = _run(tool, *flags)
            for _ in range(2):
                assert _cached(tool, *flags) == plain
    assert LocalStore(Path("kept")).statistics().entries


@sampled(29)
def test_pairs_of_features(tool: Tool, step: int) -> None:
    """With any two features of the tool, both streams and the exit code are those without a store."""
    for names in list(combinations(FEATURES, 2))[::step]:
        case = Case("xdsl", tuple(FEATURES[name] for name in names))
        case.write_files()
        for jobs in ("-j1", "-j2"):
            plain = tool(*case.arguments, jobs)
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("PASSEL_CACHE", "./kept")
                for _ in range(2):
                    assert tool(*case.arguments, jobs) == plain, case
