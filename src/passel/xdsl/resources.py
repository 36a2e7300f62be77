"""External resources: what tools keep in a file beside the IR, such as a pipeline to replay."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


class ExternalResource(NamedTuple):
    """One entry of the block `external_resources` at the end of a file.

    Attributes:
        group: Whose entry it is, such as `mlir_reproducer`.
        key: The entry's name in its group.
        value: A truth value, or the bytes of a string; those of a blob are `"0x..."`.
        key_start: Where the key begins in the text, in code points.
        value_start: Where the value begins; that of a string is its quote.
        value_end: Where the value ends.
    """

    group: str
    key: str
    value: bool | bytes
    key_start: int = 0
    value_start: int = 0
    value_end: int = 0


def print_resources(resources: Iterable[ExternalResource]) -> str:
    r"""Return resources as they stand in a file, without a final newline; empty if none are.

    Groups are told apart in the order of their first entries, as mlir-opt does.

    Example:
        >>> print(print_resources([ExternalResource("zoo", "animal", b'a "cat"')]))
        {-#
          external_resources: {
            zoo: {
              animal: "a \22cat\22"
            }
          }
        #-}

    Source: `AsmPrinter::Impl::printResourceFileMetadata`, MLIR 22.
    """
    ordered = list(resources)
    if not ordered:
        return ""
    ranks = {group: rank for rank, group in enumerate(dict.fromkeys(r.group for r in ordered))}
    ordered.sort(key=lambda resource: ranks[resource.group])
    groups = [
        f"    {group}: {{\n" + ",\n".join(f"      {_entry(entry)}" for entry in entries) + "\n    }"
        for group, entries in groupby(ordered, key=lambda resource: resource.group)
    ]
    inner = ",\n".join(groups)
    return f"{{-#\n  external_resources: {{\n{inner}\n  }}\n#-}}"


def _entry(resource: ExternalResource) -> str:
    key = resource.key
    if not _IDENTIFIER.fullmatch(key):
        key = f'"{_escaped(key.encode())}"'
    if isinstance(resource.value, bool):
        return f"{key}: {'true' if resource.value else 'false'}"
    return f'{key}: "{_escaped(resource.value)}"'


def _escaped(data: bytes) -> str:
    return "".join(map(_character, data))


def _character(byte: int) -> str:
    character = chr(byte)
    if character == "\\":
        return "\\\\"
    is_plain = character.isascii() and character.isprintable() and character != '"'
    return character if is_plain else f"\\{byte:02X}"
