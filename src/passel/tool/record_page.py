"""Records as a page for a browser, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from passel.record.page import page
from passel.tool.collector import collector_held
from passel.tool.output import put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.record import Record


def write_page(records: Sequence[Record], output: str) -> int:
    """Write a page about a record, or about an old and a new one, and return the exit code.

    Args:
        records: The records.
        output: The file to write, or `-`.

    Raises:
        PasselError: A record cannot be read, or the page cannot be written.
    """
    sources = [", ".join(record.info.sources) for record in records]
    is_same = len(set(sources)) < len(sources) or not all(sources)
    names = [str(record.path) for record in records] if is_same else sources
    title = " and ".join(Path(name).name for name in names)
    with collector_held():  # texts are read as ops by the thousand, and kept until all are printed
        text = page(title, zip(names, records, strict=True))
    return put(text, output)
