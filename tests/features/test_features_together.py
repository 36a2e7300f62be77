"""Features of passel-opt that work alone work together: each pair, on both IRs."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from passel.record import Record

if TYPE_CHECKING:
    from tool_fixtures import Tool

PLUGIN = '''
from passel import Pass, PassContext, PassFailure, option
from passel.passes.op_pass_manager import BarePipeline


class Tag(Pass):
    """Tag the op, of whichever IR."""

    name = "tag-op"

    def run(self, op, ctx):
        if hasattr(op, "operation"):
            from mlir.ir import UnitAttr

            op.operation.attributes["tagged"] = UnitAttr.get(op.operation.context)
        else:
            from xdsl.dialects.builtin import UnitAttr

            op.attributes["tagged"] = UnitAttr()


class Inside(Pass):
    """Run a pipeline from inside of a pass."""

    name = "inside"
    pipeline: BarePipeline = option(default=BarePipeline(), help="What to run.")

    def run(self, op, ctx):
        if not ctx.run_pipeline(self.pipeline):
            raise PassFailure("its pipeline failed")


class Say(Pass):
    """Emit a warning."""

    name = "say"

    def run(self, op, ctx):
        ctx.emit_warning("seen").attach_note("here")


class Fail(Pass):
    """Fail on one function."""

    name = "fail-on"
    symbol: str = option(default="", help="The function.")

    def run(self, op, ctx):
        if ctx.adapter.symbol_name(op) == self.symbol:
            raise PassFailure("not wanted")
'''
FUNCTION = """\
func.func @{0}(%x: i32) -> (i32, i32) {{
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  return %0, %1 : i32, i32
}}
"""
RESOURCES = """\
{{-# external_resources: {{
  mlir_reproducer: {{ pipeline: "{0}", disable_threading: true, verify_each: true }}
}} #-}}
"""
FLAGS = {
    "plugin": "",
    "crossing": "",
    "dynamic": "",
    "gate": "--mlir-debug-counter=cse-skip=1",
    "record": "--record=record",
    "split": "--split-input-file",
    "recorded": "--run-reproducer",
    "file": "",
    "failure": "--mlir-pass-pipeline-crash-reproducer=failed.mlir",
    "kept": "--mlir-generate-reproducer=kept.mlir",
    "expectations": "--verify-diagnostics",
}
"""The features, each with the flag that it adds."""

PASSES = {"plugin": "tag-op", "expectations": "say", "failure": "fail-on{symbol=last}"}
"""The passes on each function that features add, in order."""

_SPLIT = "// -----\n"


class Case(NamedTuple):
    """A run with some features; later ones wrap the pipelines of earlier ones."""

    ir: str
    features: tuple[str, ...]

    def __str__(self) -> str:
        return "-".join([self.ir, *self.features])

    @property
    def elements(self) -> str:
        """The pipeline on a module."""
        added = [name for feature, name in PASSES.items() if feature in self.features]
        passes = ",".join(["cse", "canonicalize", *added])
        for feature in self.features:
            if feature == "crossing":
                passes = f"{'mlir' if self.ir == 'xdsl' else 'xdsl'}({passes})"
            elif feature == "dynamic":
                passes = f"inside{{pipeline={{{passes}}}}}"
        return f"func.func({passes})"

    @property
    def failure(self) -> list[str]:
        """The diagnostics about the pass that fails."""
        if "failure" not in self.features:
            return []
        outer = ["error its pipeline failed"] if "dynamic" in self.features else []
        return [
            *outer,
            "error failed: not wanted",
            "error Failures have been detected",
            "note Pipeline failed while executing",
        ]

    @property
    def names(self) -> list[list[str]]:
        """The functions in each part of the input."""
        return [["f0", "g0"], ["f1", "last"]] if "split" in self.features else [["f0", "last"]]

    @property
    def source(self) -> str:
        """The input, with the diagnostics that are expected above each function."""
        parts: list[str] = []
        for names in self.names:
            text = ""
            for name in names:
                if "expectations" in self.features:
                    failure = self.failure if name == "last" else []
                    told = ["warning seen", "note here", *failure]
                    for distance, line in zip(range(len(told), 0, -1), told, strict=True):
                        kind, _, message = line.partition(" ")
                        text += f"// expected-{kind} @+{distance} {{{{{message}}}}}\n"
                text += FUNCTION.format(name)
            if "recorded" in self.features:
                text += RESOURCES.format(f"builtin.module({self.elements})")
            parts.append(text)
        return _SPLIT.join(parts)

    @property
    def done(self) -> list[dict[str, set[str]]]:
        """What the passes do to the functions in each part of the output."""
        each = ["merged", "tagged"] if "plugin" in self.features else ["merged"]
        done = [{name: {*each} for name in names} for names in self.names]
        if "gate" in self.features:
            done[0]["f0"].discard("merged")
        if "failure" in self.features:
            done[-1].clear()
        return done


def done_to(text: str) -> list[dict[str, set[str]]]:
    """Return what was done to the functions in each part of an output."""
    parts: list[dict[str, set[str]]] = []
    for part in text.split(_SPLIT):
        parts.append({})
        for match in re.finditer(
            r"func\.func @(\w+)(.*?)\{\n(.*?)^  \}", part, re.MULTILINE | re.DOTALL
        ):
            merged = {"merged"} if match[3].count("arith.addi") == 1 else set[str]()
            parts[-1][match[1]] = merged | set(re.findall("tagged", match[2]))
    return parts


def cases() -> list[Case]:
    """Return each feature and each pair of features, wrappers in both orders, on both IRs."""
    sets = [*combinations(FLAGS, 1), *combinations(FLAGS, 2), ("dynamic", "crossing")]
    return [Case(ir, features) for ir in ("xdsl", "mlir") for features in sets]


@pytest.mark.parametrize("case", cases(), ids=str)
def test_pairs(case: Case, tool: Tool) -> None:
    """Two features together do what each of them does alone, and a failure can be replayed."""
    Path("in.mlir").write_text(case.source)
    Path("plugin.py").write_text(PLUGIN)
    Path("pipeline.yaml").write_text(f"Pipeline:\n- pass: {json.dumps(case.elements)}\n")
    common = [f"--ir={case.ir}", "--load-pass-plugin=plugin.py"]
    flags = [flag for name, flag in FLAGS.items() if flag and name in case.features]
    if "recorded" not in case.features:
        is_file = "file" in case.features
        flags.append(f"-p={'@pipeline.yaml' if is_file else f'builtin.module({case.elements})'}")
    outcome = tool("in.mlir", *common, *flags)
    is_told = bool(case.failure) and "expectations" not in case.features
    assert outcome.code == is_told, outcome
    assert done_to(outcome.out) == case.done, outcome
    for line in case.failure if is_told else ():
        assert line.partition(" ")[2] in outcome.err
    assert is_told or not outcome.err
    if "record" in case.features:
        record = Record.open("record")
        assert record.info.is_complete
        runs = [run for run in record.info.runs if run.outer is None and not run.failures]
        texts = [record.readable(run.after or "", run=run.number) for run in runs]
        recorded = filter(None, done_to(_SPLIT.join(texts)))
        assert [*recorded] == [*filter(None, case.done)]
    if case.failure:
        again = tool(*common, "--run-reproducer", "failed.mlir")
        assert again.code == 1
        assert "failed: not wanted" in again.err
    elif "kept" in case.features:
        again = tool(*common, "--run-reproducer", "kept.mlir")
        assert again.code == 0, again
        (functions,) = done_to(again.out)
        assert functions.keys() == {*case.names[0]}
        assert all(functions.values())
