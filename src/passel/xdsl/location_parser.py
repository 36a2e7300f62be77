"""Parsing locations that MLIR prints and xDSL's parser does not read.

MLIR defines aliases such as `#loc3` behind the ops that use them. Ranges and metadata of fused
locations have no place in xDSL's attributes: of a range its start is kept.

Source: `parseLocationInstance` of `lib/AsmParser/LocationParser.cpp`, MLIR 22.
"""

import re
from typing import Any, cast

from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, LocationAttr, NoneAttr
from xdsl.parser import Parser
from xdsl.utils.hints import isa
from xdsl.utils.mlir_lexer import MLIRTokenKind

from passel.xdsl.lexer import FastToken

_DEFINITION = re.compile(r"^[ \t]*(#[\w$.-]+)[ \t]*=", re.MULTILINE)


class LocationParser(Parser):
    """xDSL's parser with ranges of locations and aliases that are defined later."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._read_ahead: dict[str, Any] = {}
        self._defined_at: dict[str, int] | None = None

    @property
    def _token(self) -> FastToken:
        return cast("FastToken", self._parser_state.current_token)

    def _resume_at(self, position: int) -> None:
        """Go on with the first token from a position, whatever is before it."""
        state = self._parser_state
        state.lexer.pos = position
        state.current_token = state.lexer.lex()

    def _parse_location(self) -> Any:
        token = self._token
        if token.kind is MLIRTokenKind.STRING_LIT:
            return self._with_range(super()._parse_location())
        if token.kind is MLIRTokenKind.BARE_IDENT and token.text == "fused":
            return self._fused()
        if token.kind is MLIRTokenKind.HASH_IDENT and token.text not in self.attribute_aliases:
            location = self._defined_later(token.text)
            if location is not None:
                self._resume_at(token.start + len(token.text))
                if not isa(location, LocationAttr):
                    self.raise_error("Expected location alias.")
                return location
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

    def _defined_later(self, name: str) -> Any:
        """Return what the definition of an alias that comes later in the text says, if any does."""
        here = self._token.start
        if self._defined_at is None:
            found = _DEFINITION.finditer(self.lexer.input.content)
            self._defined_at = {each[1]: each.end() for each in found}
        if name in self._defined_at and name not in self._read_ahead:
            self._read_ahead[name] = None  # inside of itself it is not defined
            self._resume_at(self._defined_at[name])
            self._read_ahead[name] = self.parse_attribute()
            self._resume_at(here)
        return self._read_ahead.get(name)
