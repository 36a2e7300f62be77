"""Objects as notebooks show them, and tracebacks there and in tests."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager, Statistic
from passel.builder import PipelineBuilder
from passel.instruments import Timing
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from pathlib import Path

    from passel.ir import PrintFlags


class Change(Pass):
    """Change an op, but not one."""

    name = "change"
    but: str = "<&>"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Look at the symbol."""
        if op.symbol == "g":
            raise PassFailure("<g> & none")
        op.value += 1


class Bundle(NamedTuple):
    """Forms of a record."""

    plain: str
    html: str


def bundle_of(path: Path) -> Bundle:
    """Return the forms of the record of a run that fails."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Change())
    manager.enable_recording(path)
    try:
        manager.run(parse_toy("toy.module(toy.func @f,toy.func @g)"))
    except PassFailedError as error:
        return forms(error.record)
    raise AssertionError


def test_a_record_shows_its_passes(tmp_path: Path) -> None:
    """A record shows the pipeline with what was changed, and why it failed, as text."""
    plain, html = bundle_of(tmp_path / "r")
    lines = plain.splitlines()
    assert lines[0] == "toy.module"
    assert lines[2].split() == ["pass", "ops", "changed", "failed", "ms"]
    assert lines[5].split()[:4] == ["change", "2", "1", "1"]
    assert lines[7].startswith("toy.module/toy.func/0:change on 'toy.func' @g: ")
    assert "&lt;g&gt; &amp; none" in html
    assert "<g>" not in html


def test_a_record_shows_what_a_pass_changed(tmp_path: Path) -> None:
    """Behind the name of a pass is the diff of each op that it changed."""
    _, html = bundle_of(tmp_path / "r")
    assert "<details><summary><code>change</code></summary><pre>toy.func @f\n" in html
    assert '">+toy.func @f 1</span></pre></details></td><td>2</td><td>1</td>' in html


def test_long_diffs_are_cut(tmp_path: Path) -> None:
    """A notebook's file keeps the first hundred lines of a diff."""

    class Many(Pass[ToyOp]):
        """Add ops."""

        name = "many"

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            """Add them."""
            for number in range(200):
                op.add(ToyOp("toy.region", f"r{number}"))

    class Lines(ToyAdapter):
        """Prints one op a line."""

        def print_op(self, op: ToyOp, flags: PrintFlags) -> str:
            """Print what is inside as well."""
            return "\n".join([op.symbol or "", *(each.symbol or "" for each in op.body)])

    manager = PassManager("toy.module", adapter=Lines()).add(Many())
    manager.enable_recording(tmp_path / "r")
    html = forms(manager.run(parse_toy("toy.module()"))).html
    assert "... and 102 more lines" in html
    assert "r190" not in html


def forms(shown: Any) -> Bundle:
    """Return what a notebook gets of an object."""
    bundle = shown._repr_mimebundle_()
    return Bundle(bundle["text/plain"], bundle["text/html"])


def test_a_manager_shows_its_pipeline() -> None:
    """A notebook shows a manager as its pipeline, one pass a line."""
    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.add_nested("toy.func", Change(but="<i>"))
    plain, html = forms(manager)
    assert plain == manager.to_text(pretty=True)
    assert html.startswith("<pre>toy.module(")
    assert "&lt;i&gt;" in html


def test_timing_shows_a_table() -> None:
    """A row for each pipeline and pass that has one in the report, nested as they are."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Change())
    with manager.instrument(timing := Timing()):
        manager.run(parse_toy("toy.module(toy.func @f,toy.func @h)"))
    plain, html = forms(timing)
    assert [line[:22].rstrip() for line in plain.splitlines()] == [
        "",
        "Total",
        "  'toy.func' Pipeline",
        "    Change",
    ]
    assert 'padding-left:3em"><code>Change</code></td><td>2</td>' in html
    assert "Pipeline Collection" not in html


def test_a_result_shows_all_of_it() -> None:
    """Whether something changed, what was said and counted, how long it took."""
    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.add_nested("toy.func", Tells()).add_nested("toy.module", Tells())
    with manager.instrument(Timing()):
        plain, html = forms(manager.run(parse_toy("toy.module(toy.func @f)")))
    assert plain.splitlines()[0] == "changed"
    assert plain.splitlines()[1].endswith("remark: a < b")
    assert "toy.module/toy.func/0:tells: told 1" in " ".join(plain.split())
    assert "a &lt; b" in html
    assert "no op for toy.module(toy.module(tells))" in html
    assert "<code>Tells</code>" in html


class Tells(Pass[ToyOp]):
    """Change an op, and say so."""

    name = "tells"
    told = Statistic("Told")

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        op.value += 1
        ctx.count(self.told)
        ctx.emit_remark("a < b")


def test_builders_and_explanations_show_their_text() -> None:
    """A builder is the tree that `draw` returns, an explanation its sentences."""
    builder = PipelineBuilder.parse("builtin.module(func.func(cse))")
    assert forms(builder).plain == builder.draw()
    explanation = builder.explain("cse")
    assert forms(explanation).plain == str(explanation)
    assert "&#x27;cse&#x27; was added" in forms(explanation).html


TEST = """
from passel import Pass, PassManager
from passel.testing import ToyAdapter, parse_toy

class Bad(Pass):
    name = "bad"

    def run(self, op, ctx):
        raise ValueError("too large")

def test():
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Bad())
    manager.enable_timing()
    manager.run(parse_toy("toy.module(toy.func @f)"))
"""


def test_tracebacks_are_those_of_the_pass(tmp_path: Path) -> None:
    """Frames of passel are hidden in a failing test, and there if they are asked for."""
    (tmp_path / "test_it.py").write_text(TEST)

    def shown(*flags: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", *flags, "test_it.py"]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, check=False
        ).stdout

    said = shown()
    assert "test_it.py:9: in run" in said
    assert "test_it.py:14: in test" in said
    assert "step.py" not in said
    assert "pass_manager.py" not in said
    said = shown("--full-trace")
    assert "step.py" in said
    assert "pass_manager.py" in said
