"""Features of passel-opt, each with what it adds to a run and what it changes in the result."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tool_fixtures import Outcome

PLUGIN = '''
from passel import Pass, PassContext, PassFailure, option
from passel.manager.combinators import BarePipeline


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
    """Say that the op was seen."""

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
func.func @{name}(%x: i32) -> (i32, i32) {{
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  return %0, %1 : i32, i32
}}
"""
LAST = "last"
REPRODUCER = "failed.mlir"
KEPT = "kept.mlir"
RECORD = "record"
REPLAYED = """\
{{-#
  external_resources: {{
    mlir_reproducer: {{ pipeline: "{}", disable_threading: true, verify_each: true }}
  }}
#-}}
"""


@dataclass
class Expected:
    """What a run has to give.

    Attributes:
        parts: For each part of the output the names of its functions, with what was done to each.
        code: The exit code.
        told: What stands on the error stream, and all if nothing does.
    """

    parts: list[dict[str, set[str]]]
    code: int = 0
    told: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Feature:
    """What a feature adds to a run.

    Attributes:
        name: How tests are called after it.
        flags: What it adds to the command line.
        passes: What it adds to the passes on each function.
        wrap: Puts the passes on each function, as text, into something that runs them.
        failure: What is reported of a pass that fails, such as `error not wanted`.
        write: Changes the text of a part, given what is reported of a pass that fails.
        parts: How many parts of input there are at least.
        recorded: Whether the pipeline stands in the input instead of the command line.
        filed: Whether the pipeline stands in a file.
        plugin: Whether it needs passes of the plugin.
        expect: Changes what is expected of a run without it, in the order of `FEATURES`.
    """

    name: str
    flags: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    wrap: Callable[[str, str], str] = lambda passes, _: passes
    failure: tuple[str, ...] = ()
    write: Callable[[str, list[str]], str] = lambda text, _: text
    parts: int = 1
    recorded: bool = False
    filed: bool = False
    plugin: bool = False
    expect: Callable[[Expected], None] = lambda _: None


def _tagged(expected: Expected) -> None:
    for functions in expected.parts:
        for done in functions.values():
            done.add("tagged")


def _first_not_merged(expected: Expected) -> None:
    next(iter(expected.parts[0].values())).discard("merged")


def _last_fails(expected: Expected) -> None:
    expected.parts[-1].clear()
    expected.code = 1


def _all_is_expected(expected: Expected) -> None:
    expected.code = 0


def _expect_all(text: str, failure: list[str]) -> str:
    """Write what is reported of each function above it."""

    def above(match: re.Match[str]) -> str:
        told = ["warning seen", "note here", *(failure if match[1] == LAST else [])]
        lines = [line.partition(" ") for line in told]
        return (
            "".join(
                f"// expected-{severity} @+{len(lines) - i} {{{{{message}}}}}\n"
                for i, (severity, _, message) in enumerate(lines)
            )
            + match[0]
        )

    return re.sub(r"^func.func @(\w+)", above, text, flags=re.MULTILINE)


FEATURES = {
    feature.name: feature
    for feature in (
        Feature("plugin", passes=("tag-op",), plugin=True, expect=_tagged),
        Feature(
            "crossing",
            wrap=lambda passes, ir: f"{'mlir' if ir == 'xdsl' else 'xdsl'}({passes})",
        ),
        Feature(
            "dynamic",
            wrap=lambda passes, _: f"inside{{pipeline={{{passes}}}}}",
            failure=("error its pipeline failed",),
            plugin=True,
        ),
        Feature("gate", flags=("--mlir-debug-counter=cse-skip=1",), expect=_first_not_merged),
        Feature("record", flags=(f"--record={RECORD}",)),
        Feature("split", flags=("--split-input-file",), parts=2),
        Feature("recorded", flags=("--run-reproducer",), recorded=True),
        Feature("file", filed=True),
        Feature(
            "failure",
            flags=(f"--mlir-pass-pipeline-crash-reproducer={REPRODUCER}",),
            passes=(f"fail-on{{symbol={LAST}}}",),
            failure=(
                "error failed: not wanted",
                "error Failures have been detected",
                "note Pipeline failed while executing",
            ),
            plugin=True,
            expect=_last_fails,
        ),
        Feature("kept", flags=(f"--mlir-generate-reproducer={KEPT}",)),
        Feature(
            "expectations",
            flags=("--verify-diagnostics",),
            passes=("say",),
            write=_expect_all,
            plugin=True,
            expect=_all_is_expected,
        ),
    )
}


@dataclass(frozen=True)
class Case:
    """A run with some features.

    Attributes:
        ir: What works on the input; MLIR's own passes that follow each other run as one.
        features: What is used; wrappers stand around what those before them wrapped.
    """

    ir: str
    features: tuple[Feature, ...]

    def __str__(self) -> str:
        return "-".join([self.ir, *(feature.name for feature in self.features)])

    @property
    def pipeline(self) -> str:
        """The pipeline, as text."""
        added = [name for feature in self.features for name in feature.passes]
        passes = ",".join(["cse", "canonicalize", *sorted(added, key=_LAST_PASSES.index)])
        for feature in self.features:
            passes = feature.wrap(passes, self.ir)
        return f"builtin.module(func.func({passes}))"

    @property
    def functions(self) -> list[list[str]]:
        """The functions in each part of the input."""
        parts = max(feature.parts for feature in self.features)
        names = [[f"f{part}", f"g{part}"] for part in range(parts)]
        names[-1][-1] = LAST
        return names

    @property
    def _is_recorded(self) -> bool:
        return any(feature.recorded for feature in self.features)

    @property
    def source(self) -> str:
        """The input."""
        end = ""
        if self._is_recorded:
            end = REPLAYED.format(self.pipeline)
        texts = [
            "".join(FUNCTION.format(name=name) for name in names) + end for names in self.functions
        ]
        for feature in self.features:
            texts = [feature.write(text, self._failure) for text in texts]
        return "// -----\n".join(texts)

    @property
    def settings(self) -> list[str]:
        """Flags that a replay of what failed needs as well."""
        plugged = any(feature.plugin for feature in self.features)
        return [f"--ir={self.ir}", *(["--load-pass-plugin=plugin.py"] if plugged else [])]

    @property
    def arguments(self) -> list[str]:
        """The command line."""
        flags = [flag for feature in self.features for flag in feature.flags]
        given = "@pipeline.yaml" if self.has("file") else self.pipeline
        pipeline = [] if self._is_recorded else [f"--pass-pipeline={given}"]
        return ["features.mlir", *self.settings, *flags, *pipeline]

    @property
    def expected(self) -> Expected:
        """What the run has to give."""
        expected = Expected([{name: {"merged"} for name in names} for names in self.functions])
        for feature in FEATURES.values():
            if feature in self.features:
                feature.expect(expected)
        if expected.code:
            expected.told = [text.partition(" ")[2] for text in self._failure]
        return expected

    @property
    def _failure(self) -> list[str]:
        if not self.has("failure"):
            return []
        return [text for feature in self.features for text in feature.failure]

    def has(self, name: str) -> bool:
        """Return whether it uses a feature."""
        return FEATURES[name] in self.features

    def write_files(self) -> None:
        """Write the input, the plugin, and the pipeline in YAML."""
        Path("features.mlir").write_text(self.source)
        inner = self.pipeline.removeprefix("builtin.module(").removesuffix(")")
        Path("pipeline.yaml").write_text(f"Pipeline:\n- pass: {json.dumps(inner)}\n")
        Path("plugin.py").write_text(PLUGIN)


_LAST_PASSES = ["tag-op", "say", f"fail-on{{symbol={LAST}}}"]


def done_to(text: str) -> list[dict[str, set[str]]]:
    """Return for each part of an output what was done to its functions."""
    return [_functions(part) for part in text.split("// -----\n")]


def _functions(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for match in re.finditer(r"func\.func @(\w+)(.*?)^  \}", text, re.MULTILINE | re.DOTALL):
        done = found[match[1]] = set[str]()
        if match[2].count("arith.addi") == 1:
            done.add("merged")
        if "tagged" in match[2].partition("\n")[0]:
            done.add("tagged")
    return found


def unmet(outcome: Outcome, expected: Expected) -> Iterable[str]:
    """Yield in what way the outcome is not as expected."""
    if outcome.code != expected.code:
        yield f"exit code {outcome.code}, not {expected.code}"
    if done_to(outcome.out) != expected.parts:
        yield f"functions {done_to(outcome.out)}, not {expected.parts}"
    yield from (f"'{text}' is not told" for text in expected.told if text not in outcome.err)
    if not expected.told and outcome.err:
        yield "something is told"
    if "Traceback" in outcome.err:
        yield "a traceback"
