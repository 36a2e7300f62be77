"""The fast lexer must be indistinguishable from xDSL's."""

import random
from typing import Any

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind
from xdsl_inputs import sampled, xdsl_corpus

from passel.xdsl.lexer import FastLexer

_FRAGMENTS = (
    *("0", "x", "1.", "e", "E3", "+", "-", "0x", "0xg", ">", "5", "/", "//", "*", "|", ";", "`"),
    *("{", "-#", "#-}", "#", "}", "@", "a", "a.b$", "_", "$", ".", "..", "...", "%", "^", "!"),
    *('"', '"a"', "\\", "\\n", "\\0", "\\FF", " ", "\n", "\t", "\r", "\v", "\f", "\0"),
    *("\x1c", "\u2028", "é", "²", "½", "\u0663", "~"),
)


def _observe(lexer: MLIRLexer) -> list[Any]:
    """Everything a client can see of a lexer on its way through the input."""
    seen: list[Any] = []
    try:
        while True:
            token = lexer.lex()
            span = token.span
            assert span.input is lexer.input
            seen.append((token.kind, token.text, type(span), span.start, span.end, lexer.pos))
            seen += [getattr(token, name, None) for name in ("bytes", "content")]
            seen.append(getattr(span, "line_offset", 0))
            if token.kind is MLIRTokenKind.EOF:
                return seen
    except ParseError as error:
        span = error.span
        return [*seen, (type(span), span.start, span.end, error.msg, lexer.pos)]
    except Exception as error:  # noqa: BLE001 - whatever xDSL raises is to be the same
        return [*seen, (type(error), str(error), lexer.pos)]


def _assert_same(text: str) -> None:
    source = Input(text, "test.mlir")
    assert _observe(FastLexer(source)) == _observe(MLIRLexer(source)), repr(text)


@sampled(9)
def test_lexes_the_corpus_as_xdsl_does(step: int) -> None:
    """Kinds, texts, spans and positions agree on xDSL's own tests."""
    for _, chunk in xdsl_corpus()[::step]:
        _assert_same(chunk)


def test_lexes_random_text_as_xdsl_does() -> None:
    """Tokens and errors agree on arbitrary sequences of awkward fragments."""
    generator = random.Random(22)  # noqa: S311 - a repeatable sample
    for _ in range(8_000):
        length = generator.randint(1, 9)
        _assert_same("".join(generator.choice(_FRAGMENTS) for _ in range(length)))
