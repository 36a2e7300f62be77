"""Changes of xDSL ops as bytes, for worker processes that started as copies of this one.

A worker has the same op. It sends what differs from that afterwards, or all that is in the op
where `passel.xdsl.fast` is off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.xdsl.encoding import decode_into, encode, known_attributes
from passel.xdsl.fast import tracks_changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.context import Context
    from xdsl.ir import Attribute, Operation

    from passel.xdsl.fast.snapshots import Snapshot

_ALL = b"all"
_SOME = b"few"
"""How data begins: it has to be read as it was written."""


def note(op: Operation) -> Snapshot | Sequence[Attribute]:
    """Return what `encode_changes` has to know of an op before it changes."""
    if not tracks_changes():
        return known_attributes(op)
    from passel.xdsl.fast.snapshots import Snapshot

    return Snapshot(op)


def encode_changes(op: Operation, noted: Snapshot | Sequence[Attribute]) -> bytes:
    r"""Return what has changed in an op since it was noted.

    Raises:
        EncodingError: It holds an attribute that cannot be pickled, or uses a value that is
            defined outside.

    Example:
        >>> from xdsl.context import Context
        >>> from xdsl.dialects.builtin import ModuleOp, UnitAttr
        >>> here, there = ModuleOp([]), ModuleOp([])
        >>> noted = note(there)
        >>> there.attributes["seen"] = UnitAttr()
        >>> decode_changes(here, encode_changes(there, noted), Context())
        >>> str(here)
        'builtin.module attributes {seen} {\n}'
    """
    from passel.xdsl.fast.snapshots import Snapshot

    if not isinstance(noted, Snapshot):
        return _ALL + encode(op, noted)
    from passel.xdsl.fast.change_writer import changes_of

    return _SOME + changes_of(op, noted)


def decode_changes(op: Operation, data: bytes, context: Context) -> None:
    """Change an op in the same way.

    Args:
        op: The op, which is as the other one was when it was noted.
        data: What `encode_changes` has returned.
        context: The op's context, which knows the classes of unregistered ops.

    Raises:
        EncodingError: The op is not as the other one was.
    """
    kind, rest = data[: len(_ALL)], data[len(_ALL) :]
    if kind == _ALL:
        decode_into(op, rest, context, known_attributes(op))
    elif rest:
        from passel.xdsl.fast.change_reader import change

        change(op, rest, context)
