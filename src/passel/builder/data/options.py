"""Options of passes as data, to nodes of options, which the passes' own codecs read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.builder.data.tree import Listing, Scalar
from passel.pipeline import OptionNode, OptionText, print_options, print_value, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.data.tree import Data, Table
    from passel.builder.data.variables import Scope


def options_of(table: Table, scope: Scope) -> Iterator[OptionNode]:
    """Yield a node for each key of a table; a key without a value is a flag.

    Raises:
        PipelineSyntaxError: A variable has no value.
    """
    for key, data in table.values.items():
        if isinstance(data, Scalar) and data.value is None:
            yield OptionNode(key, None, table.keys[key])
        else:
            yield OptionNode(key, _value(data, scope), table.keys[key])


def _value(data: Data, scope: Scope) -> OptionText:
    if isinstance(data, Scalar):
        text, exact = scope.filled(data)
        # What is in quotes is a text, whatever it could be read as.
        return OptionText(text, '"' if data.quoted else "", exact or data.span)
    if isinstance(data, Listing):
        items = (_item(each, scope) for each in data.items)
        return OptionText(",".join(items), "{", data.span)
    return OptionText(print_options(options_of(data, scope)), "{", data.span)


def _item(data: Data, scope: Scope) -> str:
    value = _value(data, scope)
    if value.quote == '"':
        bare = spelled(value.text)
        return print_value(bare if bare.quote else value)
    return print_value(value if value.quote else spelled(value.text))
