"""External resources: data, such as a pipeline to replay, that tools store in an IR file.

This module processes only text, and therefore needs no IR package.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")
_BEGIN, _END = "{-#", "#-}"
_SECTION = "external_resources"
_DEPTH = 2
_BLOCK = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|//[^\n]*|\{-#')
_TOKEN = re.compile(
    r'(?P<comment>//[^\n]*)|"(?P<string>(?:[^"\\\n]++|\\.)*+)"|[A-Za-z_][\w$.]*|#-\}|[{}:]'
)
_CHARACTERS = re.compile(r"""\\(?:([nt"\\])|([0-9A-Fa-f]{2}))|([^\\]+)""")
_ODD = re.compile(r'[^ -~]|["\\]')
_ESCAPES = {"n": b"\n", "t": b"\t", '"': b'"', "\\": b"\\"}


class ExternalResource(NamedTuple):
    """An entry in the block `external_resources` at the end of a file.

    Attributes:
        group: The name of the group that contains the entry, such as `mlir_reproducer`.
        key: The name of the entry in the group.
        value: The value of the entry, either a boolean or the bytes of a string. A blob is a string
            with hexadecimal digits, such as `b"0x0400"`.
        key_start: The offset of the key in the text, in code points.
        value_start: The offset of the value in the text, in code points. A string value starts at
            its opening quote.
    """

    group: str
    key: str
    value: bool | bytes
    key_start: int = 0
    value_start: int = 0


def print_resources(resources: Collection[ExternalResource], limit: int | None = None) -> str:
    r"""Return the text of external resources, without a final newline.

    Without resources to print, the text is empty. As in mlir-opt, groups appear in the order of
    their first entries.

    Args:
        resources: The resources to print.
        limit: The maximum length of a printed value, or None for no limit. Resources with longer
            values are left out.

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
    return _block([section]) if (section := _section(resources, limit)) else ""


def add_resources(
    text: str, resources: Collection[ExternalResource], limit: int | None = None
) -> str:
    """Append external resources to the text of a file, in the same block as MLIR's own resources.

    Args:
        text: The text of the file, without final newlines.
        resources: The resources to append.
        limit: The maximum length of a printed value, as for `print_resources`.
    """
    if not (block := print_resources(resources, limit)):
        return text
    if not text.endswith(f"\n{_END}"):
        return f"{text}\n\n{block}"
    start = text.rindex(f"\n{_BEGIN}\n")
    before = text[start + len(_BEGIN) + 2 : -len(_END)].rstrip("\n")
    return f"{text[:start]}\n{_block([before, _section(resources, limit)])}"


def read_resources(text: str) -> list[ExternalResource]:
    r"""Parse the external resources in the text of a valid file.

    Example:
        >>> text = "module {}\n{-# external_resources: { zoo: { open: true } } #-}"
        >>> [(each.group, each.key, each.value) for each in read_resources(text)]
        [('zoo', 'open', True)]
    """
    marks = _BLOCK.finditer(text) if _SECTION in text else ()
    ends = [mark.end() for mark in marks if mark[0] == _BEGIN]
    return [each for end in ends for each in _parsed(text, end)]


def cut_resources(text: str) -> tuple[str, list[ExternalResource]]:
    r"""Split the text of a file into the IR and the external resources at the end of the file.

    This function is for reproducers of IRs whose own syntax has no external resources.

    Example:
        >>> text = "toy.module\n\n{-# external_resources: { zoo: { open: true } } #-}\n"
        >>> ir, resources = cut_resources(text)
        >>> ir, resources[0].key, text[resources[0].key_start :][:10]
        ('toy.module', 'open', 'open: true')
    """
    body = text.rstrip()
    start = body.rfind(f"\n{_BEGIN}")
    if not body.endswith(_END) or start < 0:
        return text, []
    return body[:start].rstrip("\n"), list(_parsed(text, start + len(_BEGIN) + 1))


def _parsed(text: str, start: int) -> Iterator[ExternalResource]:
    """Yield the external resources of a block whose contents begin at `start`."""
    path: list[str] = []
    key: re.Match[str] | None = None
    is_value = False
    for token in _TOKEN.finditer(text, start):
        if token["comment"] is not None:
            continue
        match token[0]:
            case "#-}":
                return
            case "{":
                path.append(_name(key) if key else "")
                is_value = False
            case "}":
                path.pop()
            case ":":
                is_value = True
            case _ if is_value and key is not None:
                if path[:1] == [_SECTION] and len(path) == _DEPTH:
                    value = token[0] == "true" if token["string"] is None else _bytes(token)
                    yield ExternalResource(path[1], _name(key), value, key.start(), token.start())
                is_value = False
            case _:
                key = token


def _name(token: re.Match[str]) -> str:
    return token[0] if token["string"] is None else _bytes(token).decode(errors="replace")


def _bytes(token: re.Match[str]) -> bytes:
    return unescaped(token["string"])


def unescaped(text: str) -> bytes:
    """Return the bytes that an MLIR string denotes, given the text between its quotes."""
    return b"".join(
        plain.encode() or _ESCAPES.get(escape) or bytes.fromhex(hexadecimal)
        for escape, hexadecimal, plain in _CHARACTERS.findall(text)
    )


def _block(sections: Iterable[str]) -> str:
    inner = ",\n".join(filter(None, sections))
    return f"{_BEGIN}\n{inner}\n{_END}"


def _section(resources: Collection[ExternalResource], limit: int | None) -> str:
    """Return the text of a resource section, or an empty string if all resources are left out."""
    groups: dict[str, list[str]] = {}
    for each in resources:
        if limit is None or len(_value(each)) <= limit:
            groups.setdefault(each.group, []).append(f"      {_entry(each)}")
    inner = ",\n".join(
        f"    {group}: {{\n" + ",\n".join(entries) + "\n    }" for group, entries in groups.items()
    )
    return f"  {_SECTION}: {{\n{inner}\n  }}" if groups else ""


def _entry(resource: ExternalResource) -> str:
    key = resource.key
    if not _IDENTIFIER.fullmatch(key):
        key = f'"{escaped(key.encode())}"'
    return f"{key}: {_value(resource)}"


def _value(resource: ExternalResource) -> str:
    if isinstance(resource.value, bool):
        return "true" if resource.value else "false"
    return f'"{escaped(resource.value)}"'


def escaped(data: bytes) -> str:
    """Return the text between the quotes of an MLIR string that denotes `data`."""
    return _ODD.sub(_escape, data.decode("latin-1"))


def _escape(odd: re.Match[str]) -> str:
    return "\\\\" if odd[0] == "\\" else f"\\{ord(odd[0]):02X}"
