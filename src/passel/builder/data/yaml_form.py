"""YAML to data with places. The only module that imports PyYAML, when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.builder.data.tree import Listing, Scalar, Table, excess, plain_value, refusal
from passel.diagnostics import Source, Span

if TYPE_CHECKING:
    from passel.builder.data.tree import Data

_MOST_DATA = 100_000
"""Most scalars, lists and tables of a file, those of an alias as often as it stands."""


def read_yaml(source: Source) -> Data:
    """Return what a YAML text holds, aliases resolved.

    Raises:
        PipelineSyntaxError: It is no YAML, has a key twice, contains itself, or is too much.
    """
    import yaml  # noqa: PLC0415 - for those who read YAML alone

    try:
        root = yaml.SafeLoader(source.text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise refusal(_message(error), _span(source, mark, mark)) from None
    except yaml.reader.ReaderError as error:
        at = min(error.position, len(source.text))
        raise refusal(
            f"YAML has no character U+{ord(source.text[at]):04X}", Span(source, at, at + 1)
        ) from None
    except RecursionError:
        raise refusal("the file is nested too deeply", Span(source, 0, 1)) from None
    if root is None:
        return Scalar(None, "", Span(source, 0, 0))
    return _Converter(source).data(root)


def dump_yaml(data: dict[str, Any]) -> str:
    """Return data as YAML, one key a line."""
    import yaml  # noqa: PLC0415

    # Lines are not folded: a pass is found by its text on one line.
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=2**30)


class _Converter:
    """Converts nodes of PyYAML.

    Args:
        source: The text.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known: dict[int, tuple[Data, int] | None] = {}
        self._size = 0

    def data(self, node: Any) -> Data:
        """Return the data of a node, the same for each alias of it."""
        span = _span(self._source, node.start_mark, node.end_mark)
        if id(node) in self._known:
            known = self._known[id(node)]
            if known is None:
                raise refusal("a list or a table cannot contain itself", span)
            self._size += known[1]
            return known[0]
        self._known[id(node)] = None
        before = self._size
        try:
            found = self._converted(node, span)
        except RecursionError:
            raise refusal("the file is nested too deeply", span) from None
        self._size += 1
        if self._size > _MOST_DATA:
            raise excess(f"a file has {_MOST_DATA} values at most, aliases followed", span)
        self._known[id(node)] = found, self._size - before
        return found

    def _converted(self, node: Any, span: Span) -> Data:
        if node.id == "scalar":
            return _scalar(node, span)
        if node.id == "sequence":
            return Listing(tuple(map(self.data, node.value)), span)
        values: dict[str, Data] = {}
        keys: dict[str, Span] = {}
        for key, value in node.value:
            place = _span(self._source, key.start_mark, key.end_mark)
            if key.id != "scalar":
                raise refusal("a key is a single word", place)
            if key.value in values:
                raise refusal(f"key '{key.value}' is there twice", place)
            values[key.value], keys[key.value] = self.data(value), place
        return Table(values, keys, span)


def _scalar(node: Any, span: Span) -> Scalar:
    text: str = node.value
    quoted = node.style is not None
    start, end = span.start, span.end
    if node.style in ("'", '"'):
        start, end = start + 1, end - 1
    exact = Span(span.source, start, start + len(text))
    is_exact = exact.text == text and exact.end <= end
    value = text if quoted else plain_value(text)
    return Scalar(value, text, span, exact if is_exact else None, quoted)


def _span(source: Source, start: Any, end: Any) -> Span:
    first = min(start.index, len(source.text))
    last = min(end.index, len(source.text))
    # Blocks end where the next thing starts.
    stripped = first + len(source.text[first:last].rstrip())
    return Span(source, first, max(stripped, first))


def _message(error: Any) -> str:
    parts = [part for part in (error.problem, error.context) if part]
    return "this is no YAML: " + ", ".join(parts)
