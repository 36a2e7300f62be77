"""A parser that reuses the parsed signatures of functions."""
# pyright: reportPrivateUsage=false
# xDSL's parser is extended by overriding its `_parse_*` methods; there is no public hook.

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from xdsl.dialects.builtin import StringAttr
from xdsl.utils.lexer import Span

from passel.xdsl.fast.known import is_known_attribute, is_xdsl_class, is_xdsl_code
from passel.xdsl.fast.template_parser import TemplateParser
from passel.xdsl.fast.templates import name_spans, shape_of
from passel.xdsl.lexer import NAME
from passel.xdsl.locations import SourceLocation

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from xdsl.ir import Attribute, Operation

_HEAD: Final = re.compile(
    rf"""
    func\.func [ ] ((?:private|public|nested)[ ])?+ @([a-zA-Z_][\w$.]*+)
    ( \( (?: %{NAME}:[ ][^()%^"#{{}}@/=\n]+ )*+ \) (?: [ ]->[ ][^%^"#{{}}@/=\n]+ )? )
    [ ] (?= \{{ [ \t]*+ \n )
    """,
    re.ASCII | re.VERBOSE,
)
"""The head of a function as printers write it: visibility, name and type. The only attributes in
such a line are types."""


_Function = tuple["type[Operation]", "Mapping[str, Attribute]", "Sequence[Attribute]"]
"""The common parts of functions with the same signature: class, properties and argument types."""


class FunctionParser(TemplateParser):
    """A `TemplateParser` that parses each distinct function signature only once."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._functions: dict[tuple[str, Hashable], _Function] = {}

    def parse_operation(self) -> Operation:
        """Parse an op; for a function, reuse the parsed signature of an earlier one if possible."""
        token, head = self._token, None
        if token.text == "func.func" and self._has_known_context:
            head = _HEAD.match(self.lexer.input.content, token.start)
        if head is None:
            return super().parse_operation()
        key = head[1], shape_of(head[3])[0]
        if (known := self._functions.get(key)) is not None:
            return self._parse_body(known, head)
        op = super().parse_operation()
        if (
            is_xdsl_class(op_class := type(op))
            and is_xdsl_code(op_class.parse)
            and all(map(is_known_attribute, op.properties.values()))
            and self._names_known_attributes(head[3])
        ):
            types = op.regions[0].blocks[0].arg_types
            self._functions[key] = op_class, op.properties.copy(), types
        return op

    def _parse_body(self, function: _Function, head: re.Match[str]) -> Operation:
        op_class, properties, types = function
        source, stack = self.lexer.input, self._parser_state.dialect_stack
        self._resume_at(head.end())
        first = head.start(3)
        arguments = [
            self.Argument(Span(first + start, first + end, source), type_)
            for (start, end), type_ in zip(name_spans(head[3]), types, strict=True)
        ]
        stack.append("func")
        region = self.parse_region(arguments or None)
        stack.pop()
        location = self.parse_optional_location()
        if location is None and self._source is not None:
            location = SourceLocation(self._source, head.start())
        return op_class.create(
            properties={**properties, "sym_name": StringAttr(head[2])},
            regions=[region],
            location=location,
        )
