"""Names of extensions, and what errors say of them."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from builder_passes import A, Bufferize, Lower, OnFunc, X, made

from passel import AnchorError, InsertionError, PipelineError
from passel.builder import Extension, PassType, after_any, before_first, requires

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from passel.builder import PipelineBuilder

PROGRAM = """\
from passel import InsertionError
from passel.builder import Extension, PipelineBuilder


def extend(builder):
    builder.insert_after("absent", "cse")


print(Extension.of(extend).name)
try:
    PipelineBuilder().extend(extend)
except InsertionError as error:
    print(error.problems[0].message.partition(":")[0])
"""


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["tiny/__main__.py"], "tiny"),
        (["tiny/compiler.py"], "compiler"),
        (["-m", "tiny"], "tiny"),
        (["-m", "tiny.compiler"], "tiny.compiler"),
        (["-c", "import tiny.compiler"], "tiny.compiler"),
        (["-c", PROGRAM], "program"),
    ],
)
def test_an_extension_is_named_as_others_would_import_it(
    arguments: list[str], name: str, tmp_path: Path
) -> None:
    """The names of module and function, also in a program that is run by itself."""
    package = tmp_path / "tiny"
    package.mkdir()
    for module in ("__init__.py", "__main__.py", "compiler.py"):
        (package / module).write_text("" if module == "__init__.py" else PROGRAM, encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert shown.splitlines() == [f"{name}.extend", f"extension '{name}.extend'"]


def anchored(builder: PipelineBuilder) -> None:
    """Add a pass for other ops."""
    builder.add(OnFunc())


def misspelt(builder: PipelineBuilder) -> None:
    """Add a text with an unknown name."""
    builder.add("func.func(cse-)")


def unordered(builder: PipelineBuilder) -> None:
    """Break a constraint."""
    builder.constrain("x", before_first("a"))
    builder.add(X())


@pytest.mark.parametrize(
    ("function", "kind"),
    [(anchored, AnchorError), (misspelt, PipelineError), (unordered, InsertionError)],
)
def test_errors_name_the_extension(
    function: Callable[[PipelineBuilder], None], kind: type[PipelineError]
) -> None:
    """Whatever is wrong with what an extension does, with the place in the text if there is one."""
    with pytest.raises(kind) as caught:
        made(A()).extend(Extension("mine", function))
    assert caught.value.problems[0].message.startswith("extension 'mine': ")
    assert (caught.value.span is not None) is (function is misspelt)
    assert type(pickle.loads(pickle.dumps(caught.value))) is type(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_exceptions_have_a_note_of_the_extension() -> None:
    """They are the extension's own, and stay as they are."""

    def broken(_: PipelineBuilder) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError) as caught:
        made(A()).extend(Extension("mine", broken))
    assert caught.value.__notes__ == ["in extension 'mine'"]


def test_what_is_found_by_building_names_the_extension() -> None:
    """A step that lacks what it needs when all are done is its extension's."""

    def needy(builder: PipelineBuilder) -> None:
        builder.constrain("x", requires("b"))
        builder.place(X())

    builder = made(A()).extend(Extension("mine", needy))
    with pytest.raises(InsertionError, match=r"^extension 'mine': 'x' needs "):
        builder.build()


def test_misspelt_types_are_suggested() -> None:
    """Those that are there, to constraints and as targets."""
    builder = made(Bufferize(), Lower())
    wrong = PassType("bufferisation")
    said = "there is no pass of type 'bufferisation'; did you mean 'bufferization'?"
    with pytest.raises(InsertionError) as caught:
        builder.insert_after(wrong, A())
    assert str(caught.value) == said
    builder.constrain("a", after_any(wrong))
    with pytest.raises(InsertionError) as caught:
        builder.add(A())
    assert str(caught.value).endswith(said)
