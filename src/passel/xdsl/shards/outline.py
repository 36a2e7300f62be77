"""Where a source may be cut, as its layout has it."""

from __future__ import annotations

import re
from bisect import bisect_right
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

_MOST_DECLARED: Final = 0.5
"""How much may be parsed for what a shard refers to, as a part of the shard."""

_FUNCTION: Final = "func.func"


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
        most_declared: Characters that may be parsed for what a shard refers to.
    """

    def __init__(
        self,
        text: str,
        starts: tuple[int, ...],
        end: int | None,
        indent: str,
        most_declared: float,
    ) -> None:
        self.text = text
        self.most_declared = most_declared
        self.starts = starts
        self.end = end
        self.indent = indent
        self._needed: dict[int, list[Definition]] = {}

    @property
    def has_module(self) -> bool:
        """Whether the ops stand in a module of the text."""
        return self.end is not None

    def stop(self, index: int) -> int | None:
        """Return where a shard ends; None if that is where the text ends."""
        return self.starts[index + 1] if index + 1 < len(self.starts) else self.end

    def references(self, index: int) -> set[str]:
        """Return all that may be names of symbols in a shard, or before or after all of them."""
        start, stop = self.starts[index], self.stop(index) or len(self.text)
        return self.references_in(start, stop) | self._references_around

    @cached_property
    def _references_around(self) -> set[str]:
        names = self.references_in(0, self.starts[0])
        return names if self.end is None else names | self.references_in(self.end, len(self.text))

    def references_in(self, start: int, end: int) -> set[str]:
        """Return all that may be names of symbols between two places."""
        return set(_REFERENCE.findall(self.text, start, end))

    def index_at(self, offset: int) -> int:
        """Return the shard that a place in the text is in."""
        return bisect_right(self.starts, offset) - 1

    def named(self, names: Iterable[str]) -> Iterator[Definition]:
        """Yield what seem to be the definitions of symbols."""
        return (self.definitions[name] for name in sorted(names) if name in self.definitions)

    def needed(self, index: int) -> list[Definition]:
        """Return what a shard refers to and other shards seem to define, in the order of names."""
        if index in self._needed:
            return self._needed[index]
        names = self.references(index)
        found: list[Definition] = []
        known: set[str] = set()
        while names := names - known:
            known |= names
            more = [each for each in self.named(names) if self.index_at(each.start) != index]
            found += more
            texts = [each for each in more if each.op_name != _FUNCTION]
            names = {name for each in texts for name in self.references_in(each.start, each.end)}
        return self._needed.setdefault(index, found)

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Apparent definitions of symbols, by name."""
        stop = len(self.text) if self.end is None else self.end
        pattern = re.compile(_DEFINITION.format(self.indent), re.MULTILINE)
        found = list(pattern.finditer(self.text, self.starts[0] - len(self.indent), stop))
        ends = [*(match.start() for match in found), stop][1:]
        return {
            (name := match["symbol"] or match["quoted_symbol"]): Definition(
                match.start() + len(self.indent), end, match["op"] or match["quoted_op"], name
            )
            for match, end in zip(found, ends, strict=True)
        }


def outline_of(text: str, count: int | None) -> Outline | None:
    """Return how a source can be cut.

    Args:
        text: The source.
        count: Into how many shards, if there are as many ops; None for one for each op.

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
    most_declared = _MOST_DECLARED * (limit - starts[0])
    if count is not None:
        most_declared //= len(starts)
    return Outline(text, starts, end, first[1], most_declared) if len(starts) > 1 else None


def _starts(text: str, first: re.Match[str], limit: int, count: int | None) -> tuple[int, ...]:
    """Return where the first op and ops at about equal distances begin, or all ops."""
    words = "|".join({re.escape(first[2]), r"func\.func", r'"func\.func"'})
    pattern = re.compile(rf"\n{first[1]}(?=(?:{words})[ (])")
    start = first.start(2)
    if count is None:
        return (start, *(match.end() for match in pattern.finditer(text, start, limit)))
    starts = [start]
    for number in range(1, count):
        target = max(start + (limit - start) * number // count, starts[-1])
        match = pattern.search(text, target, limit)
        if match is None:
            break
        starts.append(match.end())
    return tuple(starts)
