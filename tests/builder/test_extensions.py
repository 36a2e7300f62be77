"""Names of extensions."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

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
