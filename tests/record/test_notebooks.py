"""Records and managers as notebooks show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from pathlib import Path


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
        bundle: dict[str, Any] = error.record._repr_mimebundle_()
        return Bundle(bundle["text/plain"], bundle["text/html"])
    raise AssertionError


def test_a_record_shows_its_passes(tmp_path: Path) -> None:
    """A notebook shows the pipeline with what was changed, and why it failed, as text."""
    plain, html = bundle_of(tmp_path / "r")
    assert plain.splitlines() == [
        "toy.module",
        "  toy.func",
        "    change: 2 ops, 1 changed, 1 failed",
    ]
    assert "<code>change</code></td><td>2</td><td>1</td>" in html
    assert "&lt;g&gt; &amp; none" in html
    assert "<g>" not in html


def test_a_manager_shows_its_pipeline() -> None:
    """A notebook shows a manager as its pipeline, one pass a line."""
    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.add_nested("toy.func", Change(but="<i>"))
    html = manager._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.startswith("<pre>toy.module(")
    assert "&lt;i&gt;" in html
