"""A drop-in replacement for xDSL's MLIR lexer that matches each token with a single regex.

xDSL spends about a quarter of its parsing time in the lexer: each token takes several regex matches
and method calls, and two instances of frozen dataclasses. `FastLexer` matches the common tokens
with one regex, and its tokens compute their spans on demand. xDSL's own lexer handles escapes,
non-ASCII characters, the end of the input and all errors, so that `FastLexer` treats them exactly
as xDSL does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRLexer,
    MLIRTokenKind,
    StringLiteral,
)

if TYPE_CHECKING:
    _MLIRToken = Token[MLIRTokenKind, str]
else:
    _MLIRToken = Token  # takes one type argument before xDSL 0.74

_PUNCTUATION: Final = [spelling for spelling in KIND_BY_PUNCTUATION_SPELLING if len(spelling) == 1]
"""Punctuation of one character; `/` was added after 0.59."""

NAME: Final = r"(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+)"
"""The name of a value, block, type alias or attribute alias."""

# A group has the name of its kind of token; the kind of punctuation follows from its text.
# Characters that only xDSL's lexer may judge stay unmatched: a letter beyond ASCII may start an
# identifier, a backslash may be a bad escape.
_TOKEN: Final = re.compile(
    r"""
    [ \t\n\r\f\v]*+(?://[^\n]*+[ \t\n\r\f\v]*+)*+
    (?:
      (?P<BARE_IDENT>[a-zA-Z_][a-zA-Z0-9_$.]*+)
    | (?P<PERCENT_IDENT>%NAME)
    | (?P<punctuation>->|\{(?!-\#)|[PUNCTUATION])
    | (?P<INTEGER_LIT>[0-9]++(?!x)(?![.]))
    | (?P<STRING_LIT>"[^"\\\n\v\f]*+")
    | (?P<AT_IDENT>@[a-zA-Z_][a-zA-Z0-9_$.]*+)
    | (?P<EXCLAMATION_IDENT>!NAME)
    | (?P<HASH_IDENT>\#(?!-\})NAME)
    | (?P<CARET_IDENT>\^NAME)
    | (?P<FLOAT_LIT>[0-9]++[.][0-9]*+(?:[eE][+-]?[0-9]++)?+)
    )
    """.replace("NAME", NAME).replace(
        "PUNCTUATION", "".join(map(re.escape, sorted({*_PUNCTUATION} - {"{"})))
    ),
    re.VERBOSE | re.ASCII,
)
# xDSL's own pattern for a string is not possessive: it searches one of thirty characters that
# is never closed for hours.
_UNCLOSED: Final = re.compile(
    r"""
    [ \t\n\r\f\v]*+(?://[^\n]*+[ \t\n\r\f\v]*+)*+ @?+(?P<quote>")
    (?!(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+")
    """,
    re.VERBOSE,
)
_KINDS: Final = {
    group: MLIRTokenKind[group] for group in _TOKEN.groupindex if group != "punctuation"
}


class FastToken(_MLIRToken):
    """A token that stores its text and start offset, and computes its span on demand."""

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


def _adopt(token: _MLIRToken) -> FastToken:
    """Convert a token of xDSL's lexer."""
    adopted = _new_token(FastToken)
    adopted.kind = token.kind
    adopted.span = token.span
    adopted.text = token.span.text
    adopted.start = token.span.start
    adopted.input = token.span.input
    return adopted


class FastLexer(MLIRLexer):
    """A faster `MLIRLexer` that produces the same tokens, errors and positions.

    Each token has the same `kind`, `span` and `text` as the token from xDSL's lexer. The
    `line_offset` of each span is 0.

    Raises:
        ParseError: If `lex` finds no valid token at `pos`. xDSL's lexer raises the same error.

    Example:
        >>> lexer = FastLexer(Input("%0 = arith.addi", "example.mlir"))
        >>> [lexer.lex().text for _ in range(3)]
        ['%0', '=', 'arith.addi']
    """

    pos: int

    def lex(self) -> FastToken:
        """Skip white space and comments at `pos`, and read the next token."""
        source = self.input
        match = _TOKEN.match(source.content, self.pos)
        if match is None:
            if opening := _UNCLOSED.match(source.content, self.pos):
                self.pos = opening.end()
                span = Span(opening.start("quote"), self.pos, source)
                raise ParseError(span, "End of file reached before closing string literal.")
            return _adopt(super().lex())
        group = cast("str", match.lastgroup)
        token = _new_token(FastToken)
        token.text = text = match[group]
        token.kind = _KINDS.get(group) or KIND_BY_PUNCTUATION_SPELLING[text]
        self.pos = end = match.end()
        token.start = end - len(text)
        token.input = source
        return token
