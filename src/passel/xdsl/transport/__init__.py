"""xDSL's ops on their way to other processes and back, as bytes.

Text is no transport: it is slow to read and changes some attributes. What is sent is what has
changed since a process on the other side had the same op: nodes are known by their numbers, and
all that is new, or other than it was, is written. An op that the other side does not know is
sent as changes of a shell, which has its class and results alone.
What arrives cannot be told from what was sent: names, locations, the order of attributes and of
uses are kept. The bytes are good for the versions of passel and xDSL that wrote them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.xdsl.transport.attributes import pickled, unpickled
from passel.xdsl.transport.reader import changing
from passel.xdsl.transport.snapshots import Snapshot
from passel.xdsl.transport.writer import changes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Operation

__all__ = ["Snapshot", "decode_changes", "encode_changes"]


def encode_changes(op: Operation, before: Snapshot) -> bytes:
    r"""Return what has changed in an op since a snapshot of it.

    Raises:
        EncodingError: It holds an attribute that cannot be pickled, uses a value that is defined
            outside, or has a new op of a class that makes its ops itself.

    Example:
        >>> from xdsl.context import Context
        >>> from xdsl.dialects.builtin import ModuleOp, UnitAttr
        >>> here, there = ModuleOp([]), ModuleOp([])
        >>> before = Snapshot(there)
        >>> there.attributes["seen"] = UnitAttr()
        >>> decode_changes(here, encode_changes(there, before), Context())()
        >>> str(here)
        'builtin.module attributes {seen} {\n}'
    """
    changes = changes_of(op, before)
    return b"" if changes is None else pickled(changes, f"'{op.name}'")


def decode_changes(op: Operation, data: bytes, context: Context) -> Callable[[], None]:
    """Return what changes an op in the same way.

    Args:
        op: The op, which is as the other one was when its snapshot was taken.
        data: What `encode_changes` has returned.
        context: The op's context, which knows the classes of unregistered ops.

    Raises:
        EncodingError: The op is not as the other one was.
    """
    return changing(op, unpickled(data, context), context) if data else lambda: None
