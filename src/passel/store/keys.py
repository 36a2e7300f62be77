"""Keys of results."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class NotKeptError(Exception):
    """Results are not kept: it is not known what they depend on, or that is more than keys hold."""


def digest_of(parts: Iterable[str | bytes]) -> bytes:
    """Return a digest that no other parts have: each counts with its length.

    Example:
        >>> digest_of(["ab", "c"]) == digest_of(["a", "bc"])
        False
    """
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        found.update(b"%d:" % len(data))
        found.update(data)
    return found.digest()
