"""Store the texts of ops by digest, and encode the texts for a record."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.record.model import RecordError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HOLE = "{...}"
"""The placeholder for the nested ops in the outline of an op."""

_DIGEST = 32
"""The length of a digest in characters."""


class Outline(NamedTuple):
    """The text of an op, or of an op without its nested ops, whose texts are stored separately.

    Attributes:
        text: The text of the op. If there are parts, it has a placeholder for the nested ops.
        parts: The digests of the texts of the nested ops, in order.
    """

    text: str
    parts: Sequence[str] = ()

    @property
    def content(self) -> str:
        """The encoding of the outline in a record."""
        return f"{self.text}\0{''.join(self.parts)}"

    def filled(self, texts: Sequence[str]) -> str:
        """Return the full text of the op, in which `texts` are the texts of the nested ops."""
        inside = "".join(f"{text}\n" for text in texts).replace("\n", "\n  ")[:-2]
        return self.text.replace(HOLE, f"{{\n  {inside}}}")


def digest_of(content: str) -> str:
    """Return the digest of a text or an outline."""
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=_DIGEST // 2).hexdigest()


def texts_data(texts: Mapping[str, str]) -> str:
    """Encode texts and their digests as a line of JSON, with all texts compressed together."""
    data = [each.encode("utf-8", "surrogatepass") for each in texts.values()]
    together = b64encode(zlib.compress(b"".join(data), 1)).decode()
    sizes = ",".join(str(len(each)) for each in data)
    return f'{{"texts":"{"".join(texts)}","sizes":[{sizes}],"z":"{together}"}}'


def _digests_in(data: str) -> list[str]:
    """Return the digests in a string of concatenated digests."""
    return [data[at : at + _DIGEST] for at in range(0, len(data), _DIGEST)]


class Texts:
    """A table of the texts of ops in a record, with the digests of the texts as keys."""

    def __init__(self) -> None:
        self._known: dict[str, Outline | dict[str, Any]] = {}

    def take(self, line: dict[str, Any]) -> None:
        """Add the texts in a line of the record. The texts are decompressed on first use."""
        self._known.update(dict.fromkeys(_digests_in(line["texts"]), line))

    def add(self, outline: Outline) -> str:
        """Add an outline, and return its digest."""
        digest = digest_of(outline.content)
        self._known[digest] = outline
        return digest

    def content(self, digest: str) -> Outline:
        """Return the outline with the given digest.

        Raises:
            RecordError: If the text is damaged or missing.
        """
        try:
            if isinstance(content := self._known[digest], dict):
                self._inflate(content)
                return self.content(digest)
        except (KeyError, ValueError, zlib.error) as error:
            raise RecordError("the record is damaged: the text of an op is missing") from error
        return content

    def _inflate(self, line: dict[str, Any]) -> None:
        together, at = zlib.decompress(b64decode(line["z"])), 0
        for digest, size in zip(_digests_in(line["texts"]), line["sizes"], strict=True):
            content = together[at : at + size].decode("utf-8", "surrogatepass")
            text, _, parts = content.partition("\0")
            self._known[digest] = Outline(text, _digests_in(parts))
            at += size

    def text(self, digest: str) -> str:
        """Return the text with the given digest. In an outline, the nested ops are filled in."""
        content = self.content(digest)
        parts = [self.text(part) for part in content.parts]
        return content.filled(parts) if parts else content.text
