"""Fast paths are taken where xDSL is as assumed, can be switched off, and keep to bounds."""

from __future__ import annotations

import sys
from itertools import chain
from typing import Any
from weakref import ref

import pytest
from twins import assert_same, eager_learning, parse_both
from xdsl.ir import Block
from xdsl_inputs import xdsl_context

from passel.xdsl import parse_source
from passel.xdsl.fast import assumptions, example_parser, parser_class, slow_paths
from passel.xdsl.fast.assumptions import mismatches
from passel.xdsl.fast.example_parser import ExampleParser
from passel.xdsl.parsing import collector_paused
from passel.xdsl.source_parser import SourceParser


@pytest.fixture(autouse=True)
def _fresh_check() -> None:
    mismatches.cache_clear()


def test_xdsl_is_as_assumed() -> None:
    """The installed version of xDSL is one that the fast paths know."""
    assert mismatches() == ()
    assert parser_class() is ExampleParser


def test_slow_paths() -> None:
    """Inside of `slow_paths()` the slow twin is used, and not after it."""
    with slow_paths():
        assert parser_class() is SourceParser
    assert parser_class() is ExampleParser


@pytest.mark.parametrize("change", ["a member", "a field", "an import"])
def test_another_xdsl(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where xDSL is not as assumed, the slow twin is used and nothing is said."""
    if change == "a member":
        monkeypatch.setitem(assumptions.MEMBERS, Block, ("no_such_member",))
    elif change == "a field":
        add_op = Block.add_op

        def add_numbered_op(block: Block, op: object) -> None:
            add_op(block, op)  # pyright: ignore[reportArgumentType]
            vars(op)["number"] = 1

        monkeypatch.setattr(Block, "add_op", add_numbered_op)
    else:
        monkeypatch.setitem(sys.modules, "passel.xdsl.fast.example_parser", None)
    assert parser_class() is SourceParser


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many shapes a source has, no more are remembered than allowed."""
    monkeypatch.setattr(example_parser, "_MAX_SHAPES", 20)
    lines = "".join(f'"test.op"() {{a = {n // 3}}} : () -> ()\n' for n in range(300))
    text = f"builtin.module {{\n{lines}}}"
    assert assert_same(text).by_example
    parser = ExampleParser(xdsl_context(), text)
    parser.parse_top_level()
    assert len(list(chain.from_iterable(parser._shapes.values()))) <= 20  # pyright: ignore[reportPrivateUsage]


def test_a_parser_goes_when_it_is_done() -> None:
    """A parser and its tables live no longer than needed, without a collection."""
    parsers: list[ref[ExampleParser]] = []

    def make(*args: Any) -> ExampleParser:
        parser = ExampleParser(*args)
        parsers.append(ref(parser))
        return parser

    with eager_learning(), collector_paused():
        text = "builtin.module {\n" + '"test.op"() : () -> ()\n' * 9 + "}"
        module = parse_source(xdsl_context(), text, "test.mlir", make_parser=make)
        assert [each() for each in parsers] == [None]
    assert module is not None


def test_little_is_watched_where_little_repeats() -> None:
    """Of many shapes that come thrice each, only a few ops are watched."""
    lines = "".join(f'"test.op"() {{a = {n // 3}}} : () -> ()\n' for n in range(1500))
    parser = ExampleParser(xdsl_context(), f"builtin.module {{\n{lines}}}")
    parser.parse_top_level()
    assert parser.lines_by_example < 100
    with eager_learning():
        parser = ExampleParser(xdsl_context(), f"builtin.module {{\n{lines}}}")
        parser.parse_top_level()
    assert parser.lines_by_example > 490


def test_a_source_that_begins_to_repeat_itself() -> None:
    """Lines are not looked at for a while where all are new, but again after that."""
    new = "".join(f'"test.op"() {{a{n}}} : () -> ()\n' for n in range(1000))
    known = '"test.op"() : () -> ()\n' * 1000
    text = f"builtin.module {{\n{new}{known}{new}{known}}}"
    fast, slow = parse_both(text)
    assert fast.seen == slow.seen
    assert 1000 < fast.by_example < 1990
