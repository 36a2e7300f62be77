"""Optional abilities of adapters, each declared as a protocol.

An adapter has an ability if it defines all methods of the ability's protocol. `isinstance` returns
whether it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@runtime_checkable
class LowersPasses(Protocol):
    """The optional ability of an adapter to run several of the IR's own passes in one call."""

    def lower(self, steps: Sequence[Any], *, verify: bool) -> tuple[Any, ...]:
        """Return equivalent steps, in which a single pass may replace several consecutive passes.

        This method is not called in runs with gates (see `PassManager.add_gate`) or with
        instrumentations that observe single passes.

        Args:
            steps: The steps to run on one op, in order.
            verify: Whether the IR has to be verified after each step.
        """
        ...


@runtime_checkable
class SendsOps(Protocol):
    """The optional ability of an adapter to return changed ops from forked worker processes.

    Worker processes can run passes on sibling ops only if the adapter has this ability. If the IR's
    ops cannot be used after a fork, the adapter must not have this ability.
    """

    def note(self, op: Any) -> Any:
        """Return data for `encode_changes` about the state of an op before passes run.

        If the method returns None, `encode_changes` is called only if the fingerprint of the op has
        changed. Otherwise, `encode_changes` is always called, and can also send changes that
        fingerprints ignore, such as new value names.
        """
        ...

    def encode_changes(self, op: Any, noted: Any) -> bytes:
        """Encode the changes that passes have made to an op, or encode the whole op.

        Args:
            op: The op after the passes ran.
            noted: The result of `note` for the op, from before the passes ran.

        Returns:
            The encoded changes, or empty bytes if the op has not changed.

        Raises:
            EncodingError: If the op contains data that cannot be encoded.
        """
        ...

    def decode_changes(self, op: Any, data: bytes, context: Any) -> Callable[[], None]:
        """Decode the changes that a worker made to its copy of an op.

        If the data cannot be decoded, the method raises an exception and does not change the op.
        After an exception, the run executes the passes again in the main process.

        Args:
            op: The op in the main process, which equals the worker's copy as it was before the
                changes.
            data: The result of `encode_changes` in the worker.
            context: The context of the IR, such as `xdsl.context.Context`.

        Returns:
            A function that applies the changes to `op` in place.
        """
        ...


@runtime_checkable
class ShipsOps(Protocol):
    """The optional ability of an adapter to send ops to any process, not only to forked processes.

    An executor can run passes on sibling ops only if the adapter has two abilities: `ShipsOps`, to
    send the ops, and `SendsOps`, to return the changes.
    """

    def ship(self, ops: Sequence[Any], context: Any) -> bytes:
        """Encode sibling ops, their enclosing ops, and the symbols that the sibling ops use.

        Each symbol is encoded as a declaration. All other ops inside the enclosing ops are left
        out.

        Args:
            ops: The sibling ops, which have the same parent op.
            context: The context of the IR, such as `xdsl.context.Context`.

        Raises:
            EncodingError: If the ops contain data that cannot be encoded.
        """
        ...

    def receive(self, data: bytes) -> tuple[Any, Sequence[Any]]:
        """Decode the ops that `ship` has encoded in another process.

        Returns:
            A new context, such as `xdsl.context.Context`, and copies of the ops, which are
            immediately inside a copy of the parent op.

        Raises:
            EncodingError: If the ops cannot be decoded in this process.
        """
        ...
