"""Sections `{-# ... #-}` of a text, looked at before MLIR reads them.

What stands for the value of a resource, MLIR's reader takes without looking whether it is a token.
In builds with assertions that ends the process; others report it in these words.

Source: `ParsedResourceEntry` and `Lexer::lexToken`, MLIR 22.
"""

from __future__ import annotations

import re

_BEGIN = b"{-#"
_SKIPPED = re.compile(rb'"(?:[^"\\\n]++|\\.)*+"|//[^\n]*|\{-#')
_TOKEN = re.compile(
    rb'(?P<value>:(?:\s|//[^\n]*)*)|"(?:[^"\\\n]++|\\.)*+"|//[^\n]*|(?P<end>#-\})|.', re.DOTALL
)
_STRING = re.compile(rb'"(?:[^"\\\n\v\f]++|\\[nt"\\]|\\[0-9A-Fa-f]{2})*+')
_GOOD = re.compile(rb"#-\}|[\w\[\]{}()<>,:=?|*+-]|/|[@%^!#][\w\"$.-]", re.ASCII)


def fault_in(text: bytes) -> tuple[int, str] | None:
    r"""Return where a value in a section is no token, and what is wrong; None if all are.

    Example:
        >>> fault_in(b'module {} {-# external_resources: { zoo: { cat: "?!" } } #-}')
        >>> fault_in(b'module {} {-# external_resources: { zoo: { cat: "\\q" } } #-}')
        (49, 'unknown escape in string literal')
    """
    if _BEGIN not in text:
        return None
    at = 0
    while (mark := _SKIPPED.search(text, at)) is not None:
        at = mark.end()
        if mark[0] == _BEGIN:
            found = _fault_from(text, at)
            if isinstance(found, tuple):
                return found
            at = found
    return None


def _fault_from(text: bytes, at: int) -> int | tuple[int, str]:
    """Return the end of the section that begins before a place, or what is wrong in it."""
    for token in _TOKEN.finditer(text, at):
        if token["end"] is not None:
            return token.end()
        if token["value"] is None:
            continue
        start = token.end()
        if start == len(text):
            return start, "expected the value of a resource, not the end of the file"
        string = _STRING.match(text, start)
        if string is None:
            if _GOOD.match(text, start) is None:
                return start, "unexpected character"
        elif not text.startswith(b'"', string.end()):
            if text.startswith(b"\\", string.end()):
                return string.end(), "unknown escape in string literal"
            return string.end(), "expected '\"' in string literal"
    return len(text)
