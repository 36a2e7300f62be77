"""Lines of a plugin that messages show: the author's own, also where passel raises the error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tool_fixtures import Tool

PLUGIN = """\
from passel import OpPassManager, Pass, default_registry

class Tested(Pass):
    name = "tested"
    n: int = 3

    def run(self, op, ctx):
        self.work(op, ctx)

    def work(self, op, ctx):
        {body}  # here

    def __post_init__(self):
        super().__post_init__()
        if self.n == 7:
            raise ValueError("seven")  # there

def build(pm):
    pm.add({added})  # at the call

default_registry().register_pipeline("made", build, override=True)
"""


@pytest.fixture(params=["xdsl", "mlir"])
def ir(request: pytest.FixtureRequest) -> str:
    """Each IR of the tool."""
    return request.param


def line_of(marker: str, text: str) -> int:
    """Return the number of the line that ends so."""
    return next(n for n, line in enumerate(text.splitlines(), 1) if line.endswith(marker))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("self.n = 4", "FrozenInstanceError: cannot assign to 'n' of Tested: passes are immutable"),
        ("ctx.count(self.n)", "ValueError: 3 is not declared in the class of 'tested'"),
        (
            "ctx.run_pipeline(OpPassManager('func.func'))",
            "AnchorError: can't run 'func.func' pass manager on 'builtin.module' op; to run the pipeline on nested ops, write builtin.module(",
        ),
        ("ctx.run_pipeline('cse')", "TypeError: run_pipeline takes a manager, like OpPass"),
        ("ctx.emit('text')", "TypeError: emit takes a Diagnostic, not 'text'; to report text, use"),
        ("ctx.analysis(int)", "TypeError: int() argument must be"),
    ],
)
def test_a_wrong_call_has_the_place_of_the_call(
    tool: Tool, ir: str, body: str, message: str
) -> None:
    """Where passel refuses what a pass asks for, the pass's own line is shown, and never passel's."""
    text = PLUGIN.format(body=body, added="'cse'")
    Path("p.py").write_text(text)
    Path("in.mlir").write_text("module {}")
    outcome = tool(f"--ir={ir}", "in.mlir", "--load-pass-plugin=p.py", "-p=builtin.module(tested)")
    assert outcome.code == 1
    assert f"op pass 'tested' crashed: {message}" in outcome.err
    place, source, _ = re.search(
        r"^(\S+): note: the pass crashed here.*\n(.*)\n( +\^)", outcome.err, re.MULTILINE
    ).groups()  # pyright: ignore[reportOptionalMemberAccess]
    assert place == f"p.py:{line_of('# here', text)}:9"
    assert source == f"        {body}  # here"


@pytest.mark.parametrize(
    ("pipeline", "marker", "message"),
    [
        ("tested{n=7}", "# there", "pass 'tested' cannot be created: ValueError: seven (p.py:%d)"),
        ("made", "# at the call", "pipeline 'made' cannot be built: TypeError: expected a pass"),
        ("made", "# at the call", "text or a function, got 42 (p.py:%d)"),
    ],
)
def test_code_that_builds_a_pipeline_has_a_place(
    tool: Tool, ir: str, pipeline: str, marker: str, message: str
) -> None:
    """The text of the pipeline is marked, and the line is named that raised."""
    text = PLUGIN.format(body="pass", added="42")
    Path("p.py").write_text(text)
    Path("in.mlir").write_text("module {}")
    outcome = tool(
        f"--ir={ir}", "in.mlir", "--load-pass-plugin=p.py", f"-p=builtin.module({pipeline})"
    )
    line = line_of(marker, text)
    assert message.replace("%d", str(line)) in outcome.err
    assert (outcome.code, outcome.out) == (1, "")


def test_a_wrong_name_in_a_registered_pipeline_is_shown(tool: Tool) -> None:
    """The text that its author wrote is shown."""
    Path("p.py").write_text(PLUGIN.format(body="pass", added="'csee'"))
    outcome = tool("--load-pass-plugin=p.py", "-p=builtin.module(made)", stdin="module {}")
    assert outcome.err == (
        "<pass-pipeline>:1:1: error: 'csee' does not refer to a registered pass or pass pipeline; "
        "did you mean 'cse'?\ncsee\n^~~~\n"
    )
