"""Where a source may be cut, as its layout has it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLANK: Final = r"(?:[ \t\r]*(?://[^\n]*)?\n)"
_ALIAS: Final = r"(?:[#!][A-Za-z_][\w$.-]*[ \t]*=[^\n]*\n)"
_PROLOGUE: Final = re.compile(rf"(?:{_BLANK}|{_ALIAS})*+")
_GAP: Final = re.compile(rf"{_BLANK}*+")
_MODULE: Final = re.compile(
    r'([ \t]*)(?:(?:builtin\.)?module\b[^\n"]*\{|"builtin\.module"[^\n]*\(\{)[ \t]*\n'
)
_OP: Final = re.compile(r'([ \t]*)([A-Za-z_][\w.$]*|"[^"\\\n]*")')
_REFERENCE: Final = re.compile(r"@([A-Za-z_][\w$.]*)")
_DEFINITION: Final = (
    r"^{}(?:(?P<op>[A-Za-z_][\w.]*)[ \t]+(?:[a-z_]+[ \t]+)*@(?P<symbol>[A-Za-z_][\w$.]*)"
    r'|"(?P<quoted_op>[\w.]+)"\([^\n]*?\bsym_name = "(?P<quoted_symbol>[A-Za-z_][\w$.]*)")'
)
_UNUSUAL: Final = ("{-#", "#-}", '@"', "dense_resource")
"""Signs of text that is not cut: resources, which processes would share, and quoted symbols."""


class Definition(NamedTuple):
    """The place of an op at the top that defines a symbol, as its line has it.

    Attributes:
        start: Where the op begins.
        end: Where the next one may begin.
        op_name: Its name.
        symbol: The symbol.
    """

    start: int
    end: int
    op_name: str
    symbol: str


class Outline:
    """The layout of a source.

    Args:
        text: The source.
        starts: Where shards begin, each at the first token of an op.
        end: Where the token after the last op begins; None if there is none.
        indent: White space before ops at the top.
    """

    def __init__(self, text: str, starts: tuple[int, ...], end: int | None, indent: str) -> None:
        self.text = text
        self.starts = starts
        self.end = end
        self.indent = indent

    @property
    def has_module(self) -> bool:
        """Whether the ops stand in a module of the text."""
        return self.end is not None

    def stop(self, index: int) -> int | None:
        """Return where a shard ends; None if that is where the text ends."""
        return self.starts[index + 1] if index + 1 < len(self.starts) else self.end

    def references(self, index: int) -> set[str]:
        """Return all that may be names of symbols in a shard, or before or after all of them."""
        text = self.text
        names = self.references_in(self.starts[index], self.stop(index) or len(text))
        names |= self.references_in(0, self.starts[0])
        return names if self.end is None else names | self.references_in(self.end, len(text))

    def references_in(self, start: int, end: int) -> set[str]:
        """Return all that may be names of symbols between two places."""
        return set(_REFERENCE.findall(self.text, start, end))

    @property
    def size(self) -> int:
        """Characters in a shard on average."""
        return ((self.end or len(self.text)) - self.starts[0]) // len(self.starts)

    def is_inside(self, index: int, offset: int) -> bool:
        """Return whether a place in the text is in a shard."""
        stop = self.stop(index)
        return self.starts[index] <= offset and (stop is None or offset < stop)

    def named(self, names: Iterable[str]) -> Iterator[Definition]:
        """Yield what seem to be the definitions of symbols."""
        return (self.definitions[name] for name in sorted(names) if name in self.definitions)

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Apparent definitions of symbols, by name."""
        stop = len(self.text) if self.end is None else self.end
        pattern = re.compile(_DEFINITION.format(self.indent), re.MULTILINE)
        found = list(pattern.finditer(self.text, self.starts[0] - len(self.indent), stop))
        ends = [*(match.start() for match in found[1:]), stop]
        return {
            (name := match["symbol"] or match["quoted_symbol"]): Definition(
                match.start() + len(self.indent), end, match["op"] or match["quoted_op"], name
            )
            for match, end in zip(found, ends, strict=True)
        }


def outline_of(text: str, count: int) -> Outline | None:
    """Return how a source can be cut.

    Args:
        text: The source.
        count: Into how many shards, if there are as many ops.

    Returns:
        The outline; None if it should not be cut.
    """
    if any(each in text for each in _UNUSUAL):
        return None
    prologue = _PROLOGUE.match(text)
    begin, end, limit = prologue.end() if prologue else 0, None, len(text)
    if module := _MODULE.match(text, begin):
        begin = module.end()
        last = text.rfind(f"\n{module[1]}}}")
        if last < begin:
            return None
        end = limit = last + 1 + len(module[1])
    gap = _GAP.match(text, begin)
    first = _OP.match(text, gap.end() if gap else begin, limit)
    if first is None:
        return None
    starts = _starts(text, first, limit, count)
    return Outline(text, starts, end, first[1]) if len(starts) > 1 else None


def _starts(text: str, first: re.Match[str], limit: int, count: int) -> tuple[int, ...]:
    """Return where the first op and ops at about equal distances begin."""
    words = "|".join({re.escape(first[2]), r"func\.func", r'"func\.func"'})
    pattern = re.compile(rf"\n{first[1]}(?=(?:{words})[ (])")
    start = first.start(2)
    starts = [start]
    for number in range(1, count):
        target = max(start + (limit - start) * number // count, starts[-1])
        match = pattern.search(text, target, limit)
        if match is None:
            break
        starts.append(match.end())
    return tuple(starts)
