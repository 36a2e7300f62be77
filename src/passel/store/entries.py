"""Entries of stores: results as bytes, each with a digest of its own."""

from __future__ import annotations

import hashlib
import hmac
import json
import zlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from passel.errors import PasselError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class StoreError(PasselError):
    """A store cannot be used, which makes a miss."""


class Statistics(NamedTuple):
    """The size of a store.

    Attributes:
        entries: How many entries there are.
        size: Their bytes.
    """

    entries: int
    size: int


class Store(ABC):
    """Results by their keys.

    An entry is JSON, compressed, with a digest of its own: one that does not match is a miss.
    All methods raise a `StoreError` if the store cannot be used.

    Attributes:
        name: Where it is, for messages.
        is_shared: Whether other machines use it, so that keys hold what is in files, not where
            they are and when they were written.
    """

    name: str
    is_shared: ClassVar[bool]

    @abstractmethod
    def find(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """Return the results of those keys that are known."""

    @abstractmethod
    def keep(self, results: Mapping[bytes, Any]) -> None:
        """Keep results."""

    @abstractmethod
    def statistics(self) -> Statistics:
        """Return how much there is."""

    @abstractmethod
    def prune(self, limit: int) -> None:
        """Drop the oldest entries, until no more bytes are taken than a limit."""

    @abstractmethod
    def clear(self) -> None:
        """Drop all entries."""


def packed(key: bytes, result: Any, secret: bytes = b"") -> tuple[bytes, bytes]:
    """Return a result as bytes, and the digest of its entry.

    Args:
        key: Its key.
        result: Data as JSON has it.
        secret: The key that the digest is signed with, if any.
    """
    value = zlib.compress(json.dumps(result, separators=(",", ":")).encode(), 1)
    return value, digest_of_entry(key, value, secret)


def unpacked(key: bytes, value: Any, digest: Any, secret: bytes = b"") -> Any:
    """Return the result that an entry holds.

    Raises:
        ValueError: It is not what was written.
    """
    try:
        if not hmac.compare_digest(digest_of_entry(key, value, secret), digest):
            raise ValueError("the digest does not match")
        return json.loads(zlib.decompress(value))
    except (TypeError, zlib.error, RecursionError) as error:
        raise ValueError(str(error)) from None


def digest_of_entry(key: bytes, value: bytes, secret: bytes) -> bytes:
    """Return the digest of an entry, SHA-256; with a secret, its HMAC."""
    data = key + value
    return hmac.digest(secret, data, "sha256") if secret else hashlib.sha256(data).digest()
