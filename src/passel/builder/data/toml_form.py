"""TOML to data with places, which `tomllib` does not give; and data to TOML.

`tomllib` judges the text and reads the scalars. What is done here is to find where things stand
in a text that is known to be right.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any, cast

from passel.builder.data.tree import Listing, Scalar, Table, refusal
from passel.diagnostics import Span

if TYPE_CHECKING:
    from passel.builder.data.tree import Data
    from passel.diagnostics import Source

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_STRING = re.compile(
    r""""{3}(?:[^"\\]|\\.|"(?!""))*"{3,5}|\'{3}(?:[^']|'(?!''))*\'{3,5}"""
    r"""|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""",
    re.DOTALL,
)
_OTHER = re.compile(r"[^,\]}#\n]+")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_AT = re.compile(r" \(at line (\d+), column (\d+)\)| \(at end of document\)")


def read_toml(source: Source) -> Data:
    """Return what a TOML text holds.

    Raises:
        PipelineSyntaxError: It is no TOML.
    """
    try:
        tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        found = _AT.search(str(error))
        message = _AT.sub("", str(error))
        raise refusal(
            f"this is no TOML: {message[:1].lower()}{message[1:]}", _place(source, found)
        ) from None
    except RecursionError:
        raise refusal("the file is nested too deeply", Span(source, 0, 1)) from None
    return _Scanner(source).document()


def _place(source: Source, found: re.Match[str] | None) -> Span:
    end = len(source.text.rstrip())
    if found is None or found[1] is None:
        return Span(source, max(end - 1, 0), end)
    lines = source.text.split("\n")[: int(found[1]) - 1]
    start = min(sum(len(line) + 1 for line in lines) + int(found[2]) - 1, end)
    return Span(source, start, start + 1)


class _Scanner:
    """Finds the places of what a valid TOML text holds.

    Args:
        source: The text.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._at = 0

    def document(self) -> Table:
        root = current = self._table(0)
        while self._skip() < len(self._text):
            if self._text[self._at] == "[":
                start = self._at
                is_list = self._text.startswith("[[", start)
                self._at += 2 if is_list else 1
                path = self._path()
                self._at = self._text.index("]", self._at) + (2 if is_list else 1)
                current = self._opened(root, path, start, is_list=is_list)
            else:
                self._pair(current)
        return root

    def _opened(
        self, root: Table, path: list[tuple[str, Span]], start: int, *, is_list: bool
    ) -> Table:
        """Return the table that a header opens."""
        *around, (last, place) = path
        table = self._inner(root, around)
        if not is_list:
            return self._inner(table, [(last, place)])
        known = table.values.get(last)
        items = known.items if isinstance(known, Listing) else ()
        new = self._table(start)._replace(span=Span(self._source, start, self._at))
        table.values[last] = Listing((*items, new), Span(self._source, start, self._at))
        table.keys.setdefault(last, place)
        return new

    def _inner(self, table: Table, path: list[tuple[str, Span]]) -> Table:
        for key, place in path:
            known = table.values.setdefault(key, self._table(place.start)._replace(span=place))
            table.keys.setdefault(key, place)
            table = cast("Table", known.items[-1] if isinstance(known, Listing) else known)
        return table

    def _pair(self, table: Table) -> None:
        path = self._path()
        self._at = self._text.index("=", self._at) + 1
        value = self._value()
        *around, (last, place) = path
        inner = self._inner(table, around)
        inner.values[last], inner.keys[last] = value, place

    def _path(self) -> list[tuple[str, Span]]:
        found: list[tuple[str, Span]] = []
        while True:
            start = self._skip()
            match = _KEY.match(self._text, start)
            assert match is not None  # noqa: S101 - the text is valid
            self._at = match.end()
            key = match[0] if match[0][0] not in "\"'" else tomllib.loads(f"k={match[0]}")["k"]
            found.append((key, Span(self._source, start, self._at)))
            if self._text[self._skip()] != ".":
                return found
            self._at += 1

    def _value(self) -> Data:
        start = self._skip()
        if self._text[start] == "[":
            return self._array(start)
        if self._text[start] == "{":
            return self._inline_table(start)
        match = _STRING.match(self._text, start) or _OTHER.match(self._text, start)
        assert match is not None  # noqa: S101 - the text is valid
        written = match[0].rstrip()
        self._at = start + len(written)
        return self._scalar(written, Span(self._source, start, self._at))

    def _scalar(self, written: str, span: Span) -> Scalar:
        value: Any = tomllib.loads(f"v={written}")["v"]
        if isinstance(value, str):
            quotes = 3 if written.startswith(('"""', "'''")) else 1
            start = span.start + quotes + (quotes == 3 and written[3:4] == "\n")  # noqa: PLR2004
            exact = Span(span.source, start, start + len(value))
            is_exact = exact.text == value and exact.end <= span.end - quotes
            return Scalar(value, value, span, exact if is_exact else None, quoted=True)
        if isinstance(value, bool):
            return Scalar(value, str(value).lower(), span)
        if isinstance(value, (int, float)):
            exact = span if written == str(value) else None
            return Scalar(value, str(value), span, exact)
        return Scalar(written, written, span, span)  # a date

    def _array(self, start: int) -> Listing:
        items: list[Data] = []
        self._at += 1
        while self._text[self._skip()] != "]":
            items.append(self._value())
            if self._text[self._skip()] == ",":
                self._at += 1
        self._at += 1
        return Listing(tuple(items), Span(self._source, start, self._at))

    def _inline_table(self, start: int) -> Table:
        table = self._table(start)
        self._at += 1
        while self._text[self._skip()] != "}":
            self._pair(table)
            if self._text[self._skip()] == ",":
                self._at += 1
        self._at += 1
        return table._replace(span=Span(self._source, start, self._at))

    def _table(self, start: int) -> Table:
        return Table({}, {}, Span(self._source, start, start))

    def _skip(self) -> int:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._at


def dump_toml(data: dict[str, Any]) -> str:
    """Return data as TOML: lists of tables at the top as such, all else inline."""
    simple: list[str] = []
    tables: list[str] = []
    for key, value in data.items():
        if isinstance(value, dict):
            rows = cast("dict[str, Any]", value).items()
            lines = [f"{_key(k)} = {_inline(v, 0)}" for k, v in rows]
            tables.append("\n".join([f"[{_key(key)}]", *lines]) + "\n")
        elif isinstance(value, list) and key == "Pipeline":
            simple.append(f"{_key(key)} = {_inline(value, 0, broken=True)}")
        else:
            simple.append(f"{_key(key)} = {_inline(value, 0)}")
    return "\n".join(["\n".join(simple) + "\n", *tables])


def _inline(value: Any, depth: int, *, broken: bool = False) -> str:
    if isinstance(value, dict):
        rows = cast("dict[str, Any]", value).items()
        pairs = (f"{_key(key)} = {_inline(each, depth)}" for key, each in rows)
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if not items:
            return "[]"
        if broken or any(isinstance(item, dict) for item in items):
            margin = "  " * (depth + 1)
            lines = (f"{margin}{_inline(item, depth + 1)},\n" for item in items)
            return f"[\n{''.join(lines)}{'  ' * depth}]"
        return f"[{', '.join(_inline(item, depth) for item in items)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower()


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
