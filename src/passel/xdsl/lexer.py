"""A drop-in replacement for xDSL's MLIR lexer that reads a token per regex match.

xDSL spends about a quarter of its parsing time in the lexer: several regexes and method
calls per token, and two frozen dataclasses to hold the result.  Here one master regex
recognises the tokens that real files are made of, and tokens compute their span only when
it is asked for.  Everything unusual (escapes, non-ASCII text, the end of the input,
every error) is left to xDSL's own lexer, so that both agree by construction.
"""

from __future__ import annotations

import re
from typing import Any, Final

from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRLexer,
    MLIRTokenKind,
    StringLiteral,
)

from passel.xdsl.versions import MLIRToken

# One group per class of token; a token's kind follows from the group that matched, or for
# punctuation from its text.  Characters that only xDSL's lexer may judge stay unmatched:
# a letter beyond ASCII may start an identifier, a backslash may be a bad escape.
_PUNCTUATION: Final = [spelling for spelling in KIND_BY_PUNCTUATION_SPELLING if len(spelling) == 1]
"""Not the same in all releases: `/` came after 0.59."""

_TOKEN: Final = re.compile(
    r"""
    [ \t\n\r\f\v]*+(?://[^\n]*+[ \t\n\r\f\v]*+)*+
    (?:
      ([a-zA-Z_][a-zA-Z0-9_$.]*+)
    | (%(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+))
    | (->|\{(?!-\#)|[PUNCTUATION])
    | ([0-9]++(?!x)(?![.]))
    | ("[^"\\\n\v\f]*+")
    | (@[a-zA-Z_][a-zA-Z0-9_$.]*+)
    | (!(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+))
    | (\#(?!-\})(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+))
    | (\^(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+))
    | ([0-9]++[.][0-9]*+(?:[eE][+-]?[0-9]++)?+)
    )
    """.replace("PUNCTUATION", "".join(map(re.escape, sorted({*_PUNCTUATION} - {"{"})))),
    re.VERBOSE | re.ASCII,
)
_PUNCTUATION_GROUP: Final = 3
_KINDS: Final = (
    MLIRTokenKind.EOF,  # no group has index 0
    MLIRTokenKind.BARE_IDENT,
    MLIRTokenKind.PERCENT_IDENT,
    MLIRTokenKind.EOF,  # punctuation: by spelling
    MLIRTokenKind.INTEGER_LIT,
    MLIRTokenKind.STRING_LIT,
    MLIRTokenKind.AT_IDENT,
    MLIRTokenKind.EXCLAMATION_IDENT,
    MLIRTokenKind.HASH_IDENT,
    MLIRTokenKind.CARET_IDENT,
    MLIRTokenKind.FLOAT_LIT,
)


class FastToken(MLIRToken):
    """A token that knows its text and start at once, and its span on demand."""

    # A slot takes the place of the property `text`.
    __slots__ = ("input", "start", "text")  # pyright: ignore[reportIncompatibleMethodOverride]

    kind: MLIRTokenKind
    text: str
    start: int
    input: Input[str]
    span: Span[str]

    def __getattr__(self, name: str) -> Any:
        # Reached only while `span` is unset; afterwards it is an ordinary attribute.
        if name != "span":
            raise AttributeError(name)
        # A bare `Span`: subscripting it for the checker would double the price.
        make: type[Span[str]] = StringLiteral if self.kind is MLIRTokenKind.STRING_LIT else Span
        self.span = span = make(self.start, self.start + len(self.text), self.input)
        return span


_new_token: Final = FastToken.__new__


def _adopt(token: MLIRToken) -> FastToken:
    """Give a token of xDSL's lexer the shape that ours have."""
    adopted = _new_token(FastToken)
    adopted.kind = token.kind
    adopted.span = token.span
    adopted.text = token.span.text
    adopted.start = token.span.start
    adopted.input = token.span.input
    return adopted


class FastLexer(MLIRLexer):
    """xDSL's `MLIRLexer`, faster: the same tokens, the same errors, the same positions.

    Tokens compare equal to xDSL's in `kind`, `span` and `text`; `span.line_offset` is 0.

    Raises:
        ParseError: from `lex`, exactly where and as xDSL's lexer raises it.

    Example:
        >>> lexer = FastLexer(Input("%0 = arith.addi", "example.mlir"))
        >>> [lexer.lex().text for _ in range(3)]
        ['%0', '=', 'arith.addi']
    """

    pos: int

    # xDSL's own pattern, made possessive: without that, an unterminated string of thirty
    # characters is searched for hours.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def lex(self) -> FastToken:
        """Read the token at `pos`, skipping white space and comments before it."""
        source = self.input
        match = _TOKEN.match(source.content, self.pos)
        if match is None:
            return _adopt(super().lex())
        group: int = match.lastindex  # pyright: ignore[reportAssignmentType] - every alternative is a group
        token = _new_token(FastToken)
        text: str = match[group]
        token.text = text
        token.kind = (
            KIND_BY_PUNCTUATION_SPELLING[text] if group == _PUNCTUATION_GROUP else _KINDS[group]
        )
        self.pos = end = match.end()
        token.start = end - len(text)
        token.input = source
        return token
