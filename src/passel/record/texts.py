"""Texts of ops by their contents: an op whose nested ops are printed apart consists of theirs."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

HOLE = "{...}"
"""The place of what is inside of an op in the op's outline."""

_DIGEST = 32
"""Characters of a digest."""


class Composite(NamedTuple):
    """An op as text, with the ops inside as digests of theirs.

    Attributes:
        outline: The op, with a hole for what is inside.
        parts: The digests.
    """

    outline: str
    parts: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The digest."""
        return digest_of(f"{self.outline}\0{''.join(self.parts)}")

    def filled(self, texts: Sequence[str]) -> str:
        """Return the text of the op with those of the ops inside, indented by two spaces."""
        inside = "".join(f"{text}\n" for text in texts).replace("\n", "\n  ")[:-2]
        return self.outline.replace(HOLE, f"{{\n  {inside}}}")


_STRING = r'"(?:[^"\\]|\\.)*"'
_FLAT = rf"(?:[^()\"]|{_STRING})*"
LOCATION = re.compile(rf"({_STRING})| loc\({_FLAT}(?:\({_FLAT}\){_FLAT})*\)")


def without_locations(text: str) -> str:
    """Return a text of an op without its locations.

    Example:
        >>> without_locations('"t.op"() {a = " loc(x)"} : () -> () loc("a.mlir":1:2)')
        '"t.op"() {a = " loc(x)"} : () -> ()'
    """
    return LOCATION.sub(lambda match: match[1] or "", text)


def digest_of(text: str) -> str:
    """Return the digest of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST // 2).hexdigest()


def text_data(digest: str, content: str | Composite) -> dict[str, Any]:
    """Return a text as JSON holds it."""
    if isinstance(content, Composite):
        return {"text": digest, "outline": content.outline, "parts": "".join(content.parts)}
    data = zlib.compress(content.encode("utf-8", "surrogatepass"), 1)
    return {"text": digest, "z": b64encode(data).decode()}


def text_of(data: dict[str, Any]) -> str | Composite:
    """Return a text that JSON holds."""
    if "z" in data:
        return zlib.decompress(b64decode(data["z"])).decode("utf-8", "surrogatepass")
    parts: str = data["parts"]
    digests = (parts[at : at + _DIGEST] for at in range(0, len(parts), _DIGEST))
    return Composite(data["outline"], tuple(digests))
