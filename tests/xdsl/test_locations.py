"""Lazy locations must behave as the locations they stand for."""

import copy
import pickle
from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Operation

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


def test_line_offset_counts_from_the_beginning_of_the_file() -> None:
    """A location in split input reports the line of the whole file."""
    location = SourceLocation(SourceText("a\nb", "a.mlir", line_offset=10), 2)
    assert str(location) == 'loc("a.mlir":12:1)'


def test_equals_hashes_and_prints_as_a_file_line_column_location() -> None:
    """A lazy location cannot be told from the eager one, from either side."""
    lazy = SourceLocation(SourceText("ab\ncd", "a.mlir"), 4)
    eager = _eager(2, 2)
    assert lazy == eager
    assert eager == lazy
    assert hash(lazy) == hash(eager)
    assert str(lazy) == str(eager)
    assert lazy.parameters == eager.parameters
    assert isinstance(lazy, FileLineColLoc)


def test_differs_from_other_locations() -> None:
    """Another position, another file and another kind of location are unequal."""
    source = SourceText("ab\ncd", "a.mlir")
    lazy = SourceLocation(source, 4)
    assert lazy != SourceLocation(source, 3)
    assert lazy != SourceLocation(SourceText("ab\ncd", "b.mlir"), 4)
    assert lazy == SourceLocation(SourceText("ab\ncd", "a.mlir"), 4)
    assert lazy != UNKNOWN_LOC
    assert lazy != "loc"


def test_pickles_as_a_resolved_location() -> None:
    """The source text does not travel with a pickled or copied location."""
    lazy = SourceLocation(SourceText("ab\ncd", "a.mlir"), 4)
    for twin in (pickle.loads(pickle.dumps(lazy)), copy.deepcopy(lazy)):
        assert type(twin) is FileLineColLoc
        assert twin == lazy


def test_takes_part_in_compound_locations() -> None:
    """A lazy location is accepted and printed inside a fused one."""
    lazy = SourceLocation(SourceText("ab", "a.mlir"), 1)
    assert str(FusedLoc((lazy, _eager(3, 4)), NoneAttr())) == (
        'loc(fused["a.mlir":1:2, "a.mlir":3:4])'
    )


def test_survives_cloning(parse: Callable[[str], Operation]) -> None:
    """A clone is located where the original was."""
    op = parse('"test.op"() : () -> ()')
    assert [o.location for o in op.clone().walk()] == [o.location for o in op.walk()]
