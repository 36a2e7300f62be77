"""Locations as MLIR and JAX print them, and those that are made when they are asked for."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest
from xdsl.dialects.builtin import UNKNOWN_LOC, FileLineColLoc, IntAttr, StringAttr
from xdsl.utils.exceptions import ParseError

from passel.xdsl import parse_source
from passel.xdsl.locations import SourceLocation, SourceText

if TYPE_CHECKING:
    from xdsl.context import Context

JAX = """\
#loc1 = loc("x")
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: i32 loc("x")) -> (i32 {jax.result_info = ""}) {
    %0 = arith.addi %arg0, %arg0 : i32 loc(#loc4)
    %1 = arith.addi %0, %arg0 : i32 loc(#loc4)
    return %1 : i32 loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("/a/b.py":4:5 to :11)
#loc3 = loc("f"(#loc2))
#loc4 = loc("jit(f)/add"(#loc3))
"""


def locations(context: Context, text: str) -> list[str]:
    """Return the locations of all ops of a source, inner ones last."""
    return [str(op.location) for op in parse_source(context, text, "test.mlir").walk()]


def test_aliases_may_be_defined_later(context: Context) -> None:
    """Those that others need are read with them, and none is lost."""
    add = 'loc("jit(f)/add"("f"("/a/b.py":4:5)))'
    assert locations(context, JAX) == ["loc(unknown)", "loc(unknown)", add, add, "loc(unknown)"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('"f":1:2 to 3:4', 'loc("f":1:2)'),
        ('"f":1:2 to :9', 'loc("f":1:2)'),
        ('"f":1:2', 'loc("f":1:2)'),
        ('"n"("f":1:2 to :9)', 'loc("n"("f":1:2))'),
        ('callsite("f":1:2 to :9 at "g":3:4)', 'loc(callsite("f":1:2 at "g":3:4))'),
        ('fused["f":1:2 to 3:4, unknown]', 'loc(fused["f":1:2, unknown])'),
        ('fused<"inlined">["f":1:2]', 'loc(fused["f":1:2])'),
        ("#later", 'loc("late":1:1)'),
    ],
)
def test_ranges_are_where_they_start(context: Context, written: str, read: str) -> None:
    """Attributes of xDSL have no place for the end, nor for metadata of fused locations."""
    text = f'module {{}} loc({written})\n#later = loc("late":1:1 to :3)'
    assert locations(context, text)[-1] == read


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module {} loc(#no)", "undefined symbol alias '#no'"),
        ('module {} loc(#a)\n#a = loc("x"(#a))', "undefined symbol alias '#a'"),
        ('module {} loc(#a)\n#a = loc("x")\n#a = loc("y")', "re-declaration of alias '#a'"),
        ("module {} loc(#a)\n// #a = loc(unknown)", "undefined symbol alias '#a'"),
        ("module {} loc(#a)\n#a = 3 : i32", "Expected location alias."),
        ('module {} loc("f":1:2 to )', "Expected ':'"),
        ('module {} loc("f":1:2 to 3)', "Expected ':'"),
    ],
)
def test_wrong_locations_have_a_place(context: Context, text: str, message: str) -> None:
    """What cannot be read is an error, and an alias inside of itself does not go on for ever."""
    with pytest.raises(ParseError) as caught:
        parse_source(context, text, "test.mlir")
    assert message.lower() in str(caught.value).lower()


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
    """A lazy location cannot be told from the eager one, and is pickled and copied as one."""
    source = SourceText("ab\ncd", "a.mlir")
    lazy, eager = SourceLocation(SourceText("ab\ncd", "a.mlir"), 4), _eager(2, 2)
    assert lazy == eager
    assert eager == lazy
    assert hash(lazy) == hash(eager)
    assert str(lazy) == str(eager)
    assert lazy.parameters == eager.parameters
    assert isinstance(lazy, FileLineColLoc)
    for other in (SourceLocation(source, 3), _eager(2, 3), UNKNOWN_LOC, "loc"):
        assert lazy != other
    for twin in (pickle.loads(pickle.dumps(lazy)), copy.deepcopy(lazy)):
        assert type(twin) is FileLineColLoc
        assert twin == lazy
