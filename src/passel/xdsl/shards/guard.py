"""Noticing passes that look at what is beside their op, which no key of a result holds."""
# pyright: reportPrivateUsage=false, reportIncompatibleVariableOverride=false
# The ends of a block's chain of ops, which all ways to its ops begin with.

from __future__ import annotations

from typing import Any

from xdsl.ir import Block, Operation

_PREVIOUS: Any = Operation.prev_op


class Guard:
    """Notices when the ops of a block are looked at, but for the one that a pass has at hand.

    It changes classes of xDSL, so that it is for a worker process alone.

    Args:
        block: The block.

    Attributes:
        is_armed: Whether to take note now.
        has_noticed: Whether any was looked at.
    """

    def __init__(self, block: Block) -> None:
        self.is_armed: bool = False
        self.has_noticed: bool = False
        self._block = block
        vars(block)["guard"] = self
        block.__class__ = _GuardedBlock
        self._guard_neighbours()

    def notice(self) -> None:
        """Take note that ops of the block are looked at."""
        self.has_noticed |= self.is_armed

    def _guard_neighbours(self) -> None:
        """Guard what stands beside an op, at little cost: it is asked for at each op."""
        block = self._block

        def next_op(op: Operation) -> Operation | None:
            if op.parent is block:
                self.notice()
            return op._next_op

        def prev_op(op: Operation) -> Operation | None:
            if op.parent is block:
                self.notice()
            return _PREVIOUS.__get__(op)

        setattr(Operation, "next_op", property(next_op))  # noqa: B010 - xDSL's are not to be set
        setattr(Operation, "prev_op", property(prev_op))  # noqa: B010 - as above


def _end(name: str) -> Any:
    def get(block: Block) -> Operation | None:
        vars(block)["guard"].notice()
        return vars(block)[name]

    def put(block: Block, op: Operation | None) -> None:
        vars(block)[name] = op

    return property(get, put)


class _GuardedBlock(Block):
    """A block whose ops are guarded."""

    _first_op = _end("_first_op")
    _last_op = _end("_last_op")
