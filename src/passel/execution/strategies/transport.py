"""Transport: tasks' ops to other processes, and what has changed in them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import EncodingError
from passel.ir import ReturnsCopies, SendsOps, ShipsOps, ability_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from passel.execution.context import OpContext
    from passel.execution.outcome import Outcome
    from passel.execution.services import RunServices
    from passel.execution.strategies.parcels import Assignment, Parcel
    from passel.schedule import NestedStep


class Packed(NamedTuple):
    """The effect of a task on its op in another process.

    Attributes:
        contents: What has changed in the op, or all that it holds now; empty if nothing has.
        claims: Whether passes have stated that they changed nothing.
        matched: Keys of nested pipelines that have run on some op there.
    """

    contents: bytes
    claims: bool
    matched: AbstractSet[str]


class Result(NamedTuple):
    """The work that a worker has done.

    Attributes:
        done: The outcome of each task, and what it has done to its op.
        observers: What has observed it.
    """

    done: Sequence[tuple[Outcome, Packed]]
    observers: Any


class Snapshot(NamedTuple):
    """The state of a task's op before the task is done elsewhere.

    Attributes:
        encode: Returns from the op, and from what is known of it, what is to be sent back.
        known: What is known of the op.
        compares: Whether that tells what has changed, also where fingerprints see nothing.
    """

    encode: Callable[[Any, Any], bytes]
    known: Any
    compares: bool


class Transport:
    """Moves the ops of one nested step's tasks, as the IR's adapter encodes them.

    Args:
        services: What the run's parts share.
        step: The nested step.
        ctx: The context of the enclosing op.
    """

    def __init__(self, services: RunServices, step: NestedStep, ctx: OpContext) -> None:
        adapter = services.adapter
        self._services = services
        self._step = step
        self._ctx = ctx
        self._sends = ability_of(adapter, SendsOps)
        self._ships = ability_of(adapter, ShipsOps)
        self._returns = ability_of(adapter, ReturnsCopies)

    # -- Changes --------------------------------------------------------------------------------

    def snapshot(self, task: OpContext, known: Sequence[Any] = ()) -> Snapshot:
        """Return what need not be sent back of a task's op, before the task is done.

        Args:
            task: The task.
            known: Parts of the op that the process which sent a copy of it knows.
        """
        if self._sends is not None:  # it has the op as it was, and needs only changes
            noted = self._sends.note(task.op)
            return Snapshot(self._sends.encode_changes, noted, noted is not None)
        assert self._returns is not None  # noqa: S101 - else the placement has an obstacle
        return Snapshot(self._returns.encode, known, compares=False)

    def pack(self, task: OpContext, outcome: Outcome, snapshot: Snapshot) -> Packed:
        """Return what a task has done to its op.

        Raises:
            EncodingError: It cannot be sent.
        """
        claims, matched = bool(task.op_state.claims), self._services.matched
        unchanged = outcome.changed is False and not outcome.failures and not claims
        if unchanged and not snapshot.compares:
            return Packed(b"", claims, matched)
        return Packed(snapshot.encode(task.op, snapshot.known), claims, matched)

    def unpack(self, task: OpContext, packed: Packed) -> None:
        """Do to the op here what a task has done to it in another process."""
        if packed.contents:
            if self._sends is not None:
                self._sends.decode_changes(task.op, packed.contents, self._ctx.ir_context)
            elif self._returns is not None:
                self._returns.decode_into(task.op, packed.contents, self._ctx.ir_context)
        if packed.claims:
            task.op_state.claims = [task.plan.steps[-1]]
        self._services.matched.update(packed.matched)

    # -- Copies -----------------------------------------------------------------------------------

    @property
    def sends_copies(self) -> bool:
        """Whether all workers get copies of ops, since these do not survive a fork."""
        return self._sends is None

    def assignment(self) -> Assignment:
        """Return what all parcels of the nested step have in common."""
        from passel.execution.strategies.parcels import Assignment  # noqa: PLC0415 - rarely needed

        services = self._services
        return Assignment(
            type(services.hooks.run),
            services.adapter,
            self._step,
            services.options,
            services.compiler.guard,
            services.reports.renders,
            services.hooks.collects_statistics,
        )

    def parcel(self, tasks: Sequence[OpContext]) -> Parcel:
        """Return copies of tasks' ops, with what else a process needs that has only these.

        Raises:
            EncodingError: They cannot be sent.
        """
        from passel.execution.strategies.parcels import Parcel  # noqa: PLC0415 - rarely needed

        if any(task.cached is not None and task.cached.kinds() for task in tasks):
            raise EncodingError("analyses of the ops are known already")
        assert self._ships is not None  # noqa: S101 - else the placement has an obstacle
        ops = self._ships.ship([task.op for task in tasks], self._ctx.ir_context)
        hooks = self._services.hooks
        identities = tuple(hooks.run.identify(task.op) for task in tasks)
        return Parcel(ops, identities, hooks.branch()[1], self._enclosing_analyses())

    def open(self, parcel: Parcel) -> None:
        """Make ops of the copies in a parcel, as a worker does, and forget them.

        Raises:
            EncodingError: They cannot be sent.
        """
        assert self._ships is not None  # noqa: S101 - else the placement has an obstacle
        self._ships.receive(parcel.ops)

    def _enclosing_analyses(self) -> frozenset[Any]:
        """Return the kinds of analyses that are cached for the enclosing ops."""
        kinds: set[Any] = set()
        ctx: OpContext | None = self._ctx
        while ctx is not None:
            if ctx.cached is not None:
                kinds |= ctx.cached.enclosing_kinds()
            ctx = ctx.parent
        return frozenset(kinds)
