"""What mlir-opt and passel print, the other one reads, and it means the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from passel import PassManager
from passel.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline_table import Build, Row

    from passel.passes import PassRegistry


def same_after_dump(row: Row, dumped: str, registry: PassRegistry) -> bool:
    """Tell whether passel reads the dump as it reads the row."""
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


def test_passel_reads_dumps(
    good_row: Row, mlir_build: Callable[[str], Build], registry: PassRegistry
) -> None:
    """A pipeline dumped by mlir-opt is, for passel, the pipeline that it came from."""
    dumped = mlir_build(good_row.text).dumped
    assert dumped is not None
    # A difference that is no more must leave the table.
    assert same_after_dump(good_row, dumped, registry) is not bool(good_row.dump), dumped


def test_mlir_opt_reads_what_passel_prints(
    good_row: Row, mlir_build: Callable[[str], Build], registry: PassRegistry
) -> None:
    """mlir-opt makes of passel's text, with and without defaults, what it made of the row."""
    manager = PassManager.parse(good_row.text, registry=registry)
    original = mlir_build(good_row.text).dumped
    assert original is not None
    # Both in one run, which takes as long as one.
    texts = f"any({manager},{manager.to_text(all_options=True)})"
    real = mlir_build(texts)
    assert real.dumped is not None, real.err
    expected = on_one_line(f"any({original},{original})")
    assert (on_one_line(real.dumped) == expected) is not bool(good_row.text_note), (
        texts,
        real.dumped,
    )
