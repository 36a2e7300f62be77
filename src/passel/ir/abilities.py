"""Optional abilities of adapters, as small protocols.

An adapter has an ability if it defines the methods of the protocol; `ability_of` checks this.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


@runtime_checkable
class WrapsPasses(Protocol):
    """Optional ability of an adapter: passel can run the IR's own passes."""

    def wrap_pass(self, foreign: Any) -> Any:
        """Return the IR's own pass `foreign` as a passel `Pass`.

        Raises:
            TypeError: If `foreign` is not a pass of this IR.
        """
        ...


@runtime_checkable
class WrapsPassClasses(Protocol):
    """Optional ability of an adapter: classes of the IR's own passes can be registered by name."""

    def wrap_pass_class(self, foreign: type) -> Any:
        """Return the `Pass` class that wraps a class of the IR's own passes, with its options.

        Raises:
            TypeError: If `foreign` is not a class of passes of this IR.
        """
        ...


@runtime_checkable
class BringsPasses(Protocol):
    """Optional ability of an adapter: the IR has named passes that are not in the registry."""

    def pass_source(self) -> Any:
        """Return the `PassSource` of the IR's own passes. The results of all calls are equal."""
        ...


@runtime_checkable
class LowersPasses(Protocol):
    """Optional ability of an adapter: the IR's library runs several passes in one call."""

    def lower(self, steps: Sequence[Any], *, verify: bool) -> tuple[Any, ...]:
        """Return equivalent steps, in which one ordinary pass may replace several passes.

        Runs with observers, gates or additional checks do not call this method.

        Args:
            steps: The steps that run on one op, in order.
            verify: Whether the IR is verified after each step.
        """
        ...


@runtime_checkable
class SendsOps(Protocol):
    """Optional ability of an adapter: changes made to ops in forked processes can be sent back.

    Worker processes use this ability for sibling ops. Adapters whose ops cannot be used after a
    fork lack it.
    """

    def note(self, op: Any) -> Any:
        """Return data about an op for `encode_changes`, before passes change the op.

        If the result is None, only ops with changed fingerprints are encoded. Otherwise all ops are
        encoded, so that changes that fingerprints ignore, such as value names, are also sent.
        """
        ...

    def encode_changes(self, op: Any, noted: Any) -> bytes:
        """Return the encoded changes of an op, or the whole op.

        The result is empty if the op was not changed.

        Args:
            op: The op.
            noted: The result of `note` for this op.

        Raises:
            EncodingError: If the op contains data that cannot be sent.
        """
        ...

    def decode_changes(self, op: Any, data: bytes, context: Any) -> Callable[[], None]:
        """Return a function that applies the changes of another process to an op.

        The op remains the same object. Data that cannot be decoded raises an exception here, before
        the op is changed. The work is then repeated in this process.

        Args:
            op: The op, in the same state as its copy when it was noted.
            data: The result of `encode_changes` in the worker.
            context: The IR's own context.
        """
        ...


class Shipment(NamedTuple):
    """Copies of ops in another process.

    Attributes:
        context: The IR's own context.
        ops: The copied ops, inside a copy of the enclosing op.
    """

    context: Any
    ops: Sequence[Any]


@runtime_checkable
class ShipsOps(Protocol):
    """Optional ability of an adapter: ops can be sent to any process.

    The workers of executors use this ability to receive siblings, and `SendsOps` to return changes.
    """

    def ship(self, ops: Sequence[Any], context: Any) -> bytes:
        """Return encoded copies of ops that are immediately inside one op.

        The copies include the enclosing ops, and declarations of the symbols that the ops
        reference.

        Args:
            ops: The ops.
            context: The IR's own context.

        Raises:
            EncodingError: If the ops contain data that cannot be sent.
        """
        ...

    def receive(self, data: bytes) -> Shipment:
        """Return the ops that `ship` has encoded.

        Raises:
            EncodingError: If this process cannot decode the ops.
        """
        ...


@runtime_checkable
class FindsDialects(Protocol):
    """Optional ability of an adapter: the dialects of ops can be checked.

    An IR needs this ability if it accepts ops of dialects that are not loaded.
    """

    def dialects_in(self, op: Any) -> dict[str, Any]:
        """Return the dialects of `op` and its nested ops, with one op of each dialect."""
        ...

    def loaded_dialects(self, context: Any) -> Collection[str]:
        """Return the names of the dialects that are loaded in a context."""
        ...

    def declares_dialects(self, pass_: Any) -> bool:
        """Return whether a pass must declare the dialects of the ops that it creates."""
        ...


AbilityT = TypeVar("AbilityT")


def ability_of(adapter: object, ability: type[AbilityT]) -> AbilityT | None:
    """Return the adapter, typed as one with an optional ability; None if it lacks the ability.

    `isinstance` would take longer than a short run.
    """
    return cast("AbilityT", adapter) if _fulfils(type(adapter), ability) else None


@cache
def _fulfils(kind: type, ability: type) -> bool:
    return issubclass(kind, ability)
