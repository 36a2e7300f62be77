"""Reading a file of MLIR text to valid IR, in one call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from passel.xdsl.adapter import XDSLAdapter
from passel.xdsl.parsing import parse_source

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Operation


def parse_file(path: str | Path, context: Context | None = None) -> Operation:
    """Parse a file of MLIR text to its top-level operation, and verify it.

    Args:
        path: The file.
        context: Where dialects are looked up; by default a new one with all of them.

    Raises:
        OSError: The file cannot be read.
        ParseError: The text does not parse.
        InvalidIR: The IR is not valid.
    """
    adapter = XDSLAdapter()
    text = Path(path).read_text(encoding="utf-8")
    op = parse_source(context or adapter.create_context(), text, str(path))
    adapter.verify(op, recursive=True)
    return op
