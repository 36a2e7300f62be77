"""Texts of ops by their contents: an op whose nested ops are printed apart consists of theirs."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
_FLAT = rf"(?:[^()\"]++|{_STRING})*+"
_DEPTH = 6
"""How many parentheses are in each other: a level for each call that was inlined."""


def _inner(depth: int) -> str:
    """Return what stands in the parentheses of a location, with so many in each other."""
    return rf"{_FLAT}(?:\({_inner(depth - 1)}\){_FLAT})*+" if depth else _FLAT


LOCATION = re.compile(rf"({_STRING})| loc\({_inner(_DEPTH)}\)")


def without_locations(text: str) -> str:
    """Return a text of an op without its locations.

    Example:
        >>> without_locations('"t.op"() {a = " loc(x)"} : () -> () loc("a.mlir":1:2)')
        '"t.op"() {a = " loc(x)"} : () -> ()'
        >>> without_locations(
        ...     '"t.op"() loc(callsite(callsite("f"("a":1:2) at "a":3:4) at "a":5:6))'
        ... )
        '"t.op"()'
    """
    return LOCATION.sub(lambda match: match[1] or "", text)


def digest_of(text: str) -> str:
    """Return the digest of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST // 2).hexdigest()


def texts_data(texts: Mapping[str, str]) -> str:
    """Return texts by their digests as a line of JSON, compressed together."""
    data = [each.encode("utf-8", "surrogatepass") for each in texts.values()]
    together = b64encode(zlib.compress(b"".join(data), 1)).decode()
    sizes = ",".join(str(len(each)) for each in data)
    return f'{{"texts":"{"".join(texts)}","sizes":[{sizes}],"z":"{together}"}}'


def composite_data(digest: str, content: Composite) -> dict[str, str]:
    """Return a composite as JSON holds it."""
    return {"text": digest, "outline": content.outline, "parts": "".join(content.parts)}


def digests_in(data: str) -> list[str]:
    """Return the digests that stand one after the other in a string."""
    return [data[at : at + _DIGEST] for at in range(0, len(data), _DIGEST)]


def contents_of(data: dict[str, Any]) -> dict[str, str | Composite]:
    """Return what a line of JSON holds, by digests."""
    if "z" not in data:
        return {data["text"]: Composite(data["outline"], tuple(digests_in(data["parts"])))}
    together, found, at = zlib.decompress(b64decode(data["z"])), dict[str, str | Composite](), 0
    for digest, size in zip(digests_in(data["texts"]), data["sizes"], strict=True):
        found[digest] = together[at : at + size].decode("utf-8", "surrogatepass")
        at += size
    return found
