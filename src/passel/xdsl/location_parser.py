"""Parsing locations that MLIR prints and xDSL's parser does not read.

MLIR defines aliases such as `#loc3` behind the ops that use them. Ranges and metadata of fused
locations have no place in xDSL's attributes: of a range its start is kept.

Source: `parseLocationInstance` of `lib/AsmParser/LocationParser.cpp`, MLIR 22.
"""

import re
from typing import Any

from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, NoneAttr
from xdsl.parser import Parser
from xdsl.utils.mlir_lexer import MLIRTokenKind

_DEFINITION = re.compile(r"^[ \t]*(#[\w$.-]+)[ \t]*=", re.MULTILINE)


class LocationParser(Parser):
    """xDSL's parser with ranges of locations and aliases that are defined later."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._looked_up: set[str] = set()
        self._defined_at: dict[str, int] | None = None

    def _parse_location(self) -> Any:
        token = self._current_token
        if token.kind is MLIRTokenKind.STRING_LIT:
            return self._with_range(super()._parse_location())
        if token.kind is MLIRTokenKind.BARE_IDENT and token.text == "fused":
            return self._fused()
        if token.kind is MLIRTokenKind.HASH_IDENT and token.text not in self.attribute_aliases:
            self._read_ahead(token.text)
        return super()._parse_location()

    def _with_range(self, location: Any) -> Any:
        """Read over the end of a range, which xDSL cannot express."""
        if isinstance(location, FileLineColLoc) and self.parse_optional_keyword("to"):
            self.parse_optional_integer(allow_boolean=False, allow_negative=False)
            self.parse_punctuation(":")
            self.parse_integer(allow_boolean=False, allow_negative=False)
        return location

    def _fused(self) -> FusedLoc:
        self.parse_keyword("fused")
        if self.parse_optional_punctuation("<") is not None:
            self.parse_attribute()
            self.parse_punctuation(">")
        parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return FusedLoc(tuple(parts), NoneAttr())

    def _read_ahead(self, name: str) -> None:
        """Read the definition of an alias that comes later in the text, if there is one."""
        here = self._current_token.span
        if self._defined_at is None:
            found = _DEFINITION.finditer(here.input.content)
            self._defined_at = {each[1]: each.end() for each in found}
        if name not in self._defined_at or name in self._looked_up:  # the latter inside of itself
            return
        self._looked_up.add(name)
        self._resume_from(self._defined_at[name])
        self.attribute_aliases[name] = self.parse_attribute()
        self._resume_from(here.start)

    def _parse_alias_def(self) -> None:
        name = self._current_token.text
        if name in self._looked_up:
            self._looked_up.discard(name)  # a second definition is an error
            del self.attribute_aliases[name]
        super()._parse_alias_def()
