"""Lazy locations must behave as the locations they stand for."""

import copy
import pickle

import pytest
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    IntAttr,
    StringAttr,
)

from passel.xdsl.locations import SourceLocation, SourceText


def _eager(line: int, column: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr("a.mlir"), IntAttr(line), IntAttr(column))


@pytest.mark.parametrize(
    ("offset", "line", "column"), [(0, 1, 1), (2, 1, 3), (3, 2, 1), (4, 3, 1), (6, 3, 3)]
)
def test_offset_resolves_to_line_and_column(offset: int, line: int, column: int) -> None:
    """Lines and columns count from 1, and a newline belongs to the line it ends."""
    location = SourceLocation(SourceText("ab\n\nxy", "a.mlir"), offset)
    assert (location.line.data, location.column.data) == (line, column)


def test_equals_hashes_and_prints_as_a_file_line_column_location() -> None:
    """A lazy location cannot be told from the eager one, from either side, but from others."""
    source = SourceText("ab\ncd", "a.mlir")
    lazy = SourceLocation(SourceText("ab\ncd", "a.mlir"), 4)
    eager = _eager(2, 2)
    assert lazy == eager
    assert eager == lazy
    assert hash(lazy) == hash(eager)
    assert str(lazy) == str(eager)
    assert lazy.parameters == eager.parameters
    assert isinstance(lazy, FileLineColLoc)
    for other in (SourceLocation(source, 3), _eager(2, 3), UNKNOWN_LOC, "loc"):
        assert lazy != other


def test_pickles_as_a_resolved_location() -> None:
    """The source text does not travel with a pickled or copied location."""
    lazy = SourceLocation(SourceText("ab\ncd", "a.mlir"), 4)
    for twin in (pickle.loads(pickle.dumps(lazy)), copy.deepcopy(lazy)):
        assert type(twin) is FileLineColLoc
        assert twin == lazy
