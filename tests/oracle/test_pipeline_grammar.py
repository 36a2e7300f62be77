"""mlir-opt and passel accept the same pipelines, and read what the other one prints.

Where they differ, the table says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from passel import PassManager
from passel.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline_table import Build, Row

    from passel.ir import IRAdapter
    from passel.passes import PassRegistry


def error_of(text: str, registry: PassRegistry, adapter: IRAdapter) -> str:
    """Return why passel refuses the pipeline, or nothing."""
    try:
        PassManager.parse(text, registry=registry, adapter=adapter).check()
    except PipelineError as error:
        return str(error)
    return ""


def test_verdicts(
    rows: Sequence[Row],
    row_builds: dict[str, Build],
    registry: PassRegistry,
    adapter: IRAdapter,
) -> None:
    """The table tells what mlir-opt says, and passel says the same unless a reason is given."""
    assert len(rows) > 500
    problems: dict[str, tuple[Row, str, str]] = {}
    for row in rows:
        real, error = row_builds[row.text], error_of(row.text, registry, adapter)
        # A difference that is no more must leave the table.
        as_told = bool(error) is (row.accepted is bool(row.differs))
        if real.accepted is not row.accepted or not as_told:
            problems[row.text] = row, error, real.err
    assert problems == {}


@pytest.mark.parametrize(("depth", "accepted"), [(60, True), (64, True), (65, False)])
def test_depth(
    depth: int,
    accepted: bool,
    mlir_build: Callable[[str], Build],
    registry: PassRegistry,
    adapter: IRAdapter,
) -> None:
    """Nesting is bounded, far beyond use, where mlir-opt trusts its stack."""
    text = "any(" * depth + "cse" + ")" * depth
    assert mlir_build(text).accepted
    error = error_of(text, registry, adapter)
    assert ("nested more than" in error) is not accepted


# -- Printing -------------------------------------------------------------------------------------


def same_after_dump(row: Row, dumped: str, registry: PassRegistry) -> bool:
    """Return whether passel reads the dump as it reads the row."""
    own = PassManager.parse(row.text, registry=registry)
    try:
        # As text: one NaN is not equal to another.
        return str(PassManager.parse(dumped, registry=registry)) == str(own)
    except PipelineError:
        return False


def on_one_line(dumped: str) -> str:
    """Leave out indentation, and empty lists: those are printed or not, as they were given."""
    line = " ".join(re.sub(r"[\w-]+=\{\}", "", dumped).split())
    return re.sub(r"(?<=[({,]) | (?=[)},])", "", line)


def test_each_reads_what_the_other_prints(
    rows: Sequence[Row],
    row_builds: dict[str, Build],
    mlir_build_all: Callable[[Sequence[str]], dict[str, Build]],
    registry: PassRegistry,
) -> None:
    """The dump is, for passel, the row; passel's text, with or without defaults, is so for mlir-opt."""
    texts: dict[Row, str] = {}
    for row in rows:
        if row.accepted and not row.differs and "{" in row.text:
            manager = PassManager.parse(row.text, registry=registry)
            texts[row] = f"any({manager},{manager.to_text(all_options=True)})"
    builds = mlir_build_all([*texts.values()])
    problems: dict[str, tuple[Row, str | None, str]] = {}
    for row, text in texts.items():
        original, real = row_builds[row.text].dumped, builds[text]
        assert original is not None, row
        expected, dumped = on_one_line(f"any({original},{original})"), real.dumped
        # A difference that is no more must leave the table.
        if (
            dumped is None
            or same_after_dump(row, original, registry) is bool(row.dump)
            or (on_one_line(dumped) == expected) is bool(row.text_note)
        ):
            problems[row.text] = row, dumped, real.err
    assert problems == {}
