"""Shards of a source are what a parser of the whole finds there, or are refused."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import ParseError
from xdsl_inputs import xdsl_context

from passel.xdsl import parse_source
from passel.xdsl.shards.outline import Outline, outline_of
from passel.xdsl.shards.parser import ShardParser, shard_parser
from passel.xdsl.shards.pieces import Piece, join

TWO = "func.func private @f()\nfunc.func private @g()\n"
OP = '"a.b"() : () -> ()\n'
ONE = "func.func private @h()\n"
USE = 'func.func @use() {\n  "test.op"(%x) : (i32) -> ()\n  return\n}\n'
SECOND = TWO.index("\n") + 1
PLAIN = Piece("", ("{", "}"), {}, frozenset(), {}, frozenset(), frozenset())
ANY = float("inf")
"""Characters that a shard may declare: no bound."""


def parse(outline: Outline, index: int) -> ShardParser:
    """Parse a shard."""
    parsers: list[ShardParser] = []

    def make(*arguments: object) -> ShardParser:
        parsers.append(shard_parser()(*arguments))  # pyright: ignore[reportArgumentType] - as given
        parsers[0].set_shards(outline, [index])
        return parsers[0]

    parse_source(xdsl_context(), outline.text, "in.mlir", make_parser=make)
    return parsers[0]


def test_a_shard_holds_its_ops() -> None:
    """A shard has its own ops, with their places, and no others."""
    outline = Outline(TWO, (0, SECOND), None, "", ANY)
    assert [start for _, start, _ in parse(outline, 0).own] == [0]
    assert [start for _, start, _ in parse(outline, 1).own] == [SECOND]


@pytest.mark.parametrize(
    ("text", "starts", "end", "index"),
    [
        pytest.param(f"{TWO}{ONE}", (SECOND, len(TWO)), None, 0, id="begins late"),
        pytest.param(TWO, (0, SECOND + 5), None, 0, id="ends inside of an op"),
        pytest.param(TWO, (0, SECOND - 1), None, 0, id="ends between tokens"),
        pytest.param(TWO + "}", (0, SECOND), None, 1, id="does not end"),
        pytest.param(TWO + "module {\n}", (0, len(TWO)), None, 1, id="is a module"),
        pytest.param(
            f"module {{\n{TWO}}}\n{OP}", (9, 9 + SECOND), 9 + len(TWO), 0, id="is not all"
        ),
        pytest.param(ONE, (0, 5), 10, 0, id="has no module"),
        pytest.param(f"{USE}{TWO}", (0, len(USE)), None, 0, id="uses a value"),
        pytest.param(f"%x = arith.constant 1 : i32\n{TWO}", (0, 28), None, 0, id="names a value"),
        pytest.param(
            f'"test.op"() ({{\n  %0 = "test.op"() : () -> i32\n}}) : () -> ()\n{TWO}',
            (0, 60),
            None,
            0,
            id="counts values",
        ),
    ],
)
def test_what_is_no_shard(text: str, starts: tuple[int, int], end: int | None, index: int) -> None:
    """What a parser of the whole would not parse as the ops of a shard is refused."""
    with pytest.raises(ParseError):
        parse(Outline(text, starts, end, "", ANY), index)


def test_a_shard_that_refers_to_much_is_refused() -> None:
    """Where more would be parsed for what a shard refers to than for itself, it is refused."""
    callee = 'func.func @f{}() attributes {{a = "{}"}} {{\n  return\n}}\n'
    callees = "".join(callee.format(i, "." * 100) for i in range(40))
    calls = "".join(f"  func.call @f{i}() : () -> ()\n" for i in range(40))
    text = f"{callees}func.func @g() {{\n{calls}  return\n}}\n"
    outline = outline_of(text, 4)
    assert outline is not None
    assert parse(outline, 0).declared == []
    with pytest.raises(ParseError, match="layout"):
        parse(outline, 3)


def test_ops_without_symbols_define_none() -> None:
    """A shard that refers to a symbol which no op at the top defines needs nothing."""
    outline = outline_of('"test.op"() {a = @f} : () -> ()\n' * 2, None)
    assert outline is not None
    assert outline.needed(0) == []


def test_functions_are_declared_by_their_first_line() -> None:
    """Of a function that a shard refers to, the body is not parsed."""
    body = "  this is nothing\n" * 200
    caller = "func.func @f(%a: i32) {\n  func.call @g(%a) : (i32) -> ()\n  return\n}\n"
    text = f"func.func @g(%a: i32) {{\n{body}}}\n{caller}"
    outline = Outline(text, (0, text.index("func.func @f")), None, "", ANY)
    ((function, _),) = parse(outline, 1).declared
    assert str(function) == "func.func @g(i32) -> ()"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "// Nothing\n",
        "module {\n",
        "module {\n}\n",
        "func.func @f()",
        TWO + "{-# #-}",
        '@"f"' + TWO,
    ],
)
def test_what_is_not_cut(text: str) -> None:
    """Texts without ops, and with what belongs to the whole, are not cut."""
    assert outline_of(text, 4) is None


@pytest.mark.parametrize(
    "others",
    [
        pytest.param({"symbols": {"f": 1}}, id="is defined twice"),
        pytest.param({"referred": frozenset({"f"})}, id="was not found"),
        pytest.param({"declared": {"f": 2}}, id="was found elsewhere"),
        pytest.param({"declared": {"g": 2}}, id="is none"),
    ],
)
def test_shards_that_do_not_fit(others: dict[str, object]) -> None:
    """Shards of which one should have known more of the other have no common result."""
    first = PLAIN._replace(body="a", symbols={"f": 1})
    assert join([first, PLAIN._replace(body="b")]) == "{ab}"
    assert join([first, PLAIN._replace(**others)]) is None


def test_shards_that_saw_what_changed() -> None:
    """If a function changes what it says of itself, it must not have been looked at."""
    first = PLAIN._replace(symbols={"f": 1}, changed=frozenset({"f"}))
    assert join([first, PLAIN]) == "{}"
    assert join([first, PLAIN._replace(declared={"f": 1})]) is None


def test_joining_grows_with_the_number() -> None:
    """A shard's names are looked up among all symbols, not the other way round."""
    hashed = 0

    class Name(str):
        __slots__ = ()

        def __hash__(self) -> int:
            nonlocal hashed
            hashed += 1
            return super().__hash__()

    nothing = frozenset[str]()

    def hashed_for(size: int) -> int:
        nonlocal hashed
        pieces = [
            Piece("", ("", ""), {Name(f"f{n}"): n}, frozenset({"print"}), {}, nothing, nothing)
            for n in range(size)
        ]
        hashed = 0
        assert join(pieces) == ""
        return hashed

    assert hashed_for(200) < 6 * hashed_for(50)
