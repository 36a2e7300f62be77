"""Events as data: which pass ran on which op, to be shown, stored or compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.ir import outwards
from passel.schedule import PassStep

if TYPE_CHECKING:
    from passel.hooks import Run
    from passel.schedule import Step


class OpIdentity(NamedTuple):
    """The identity of an op: its name, and its place among its siblings.

    Attributes:
        name: Its name, such as `func.func`.
        symbol: Its symbol name, if it has one.
        ordinal: Which it is of the ops immediately inside of the enclosing op, counted from 0
            when the nested pipelines on these started.
    """

    name: str
    symbol: str | None = None
    ordinal: int = 0

    @property
    def title(self) -> str:
        """The op as MLIR names it, such as `'func.func' operation: @main`."""
        suffix = "" if self.symbol is None else f": @{self.symbol}"
        return f"'{self.name}' operation{suffix}"


Chain: TypeAlias = list[tuple[Any, OpIdentity]]
"""An op, last, and its enclosing ops, outermost first, each with its identity."""


class PassExecution(NamedTuple):
    """One execution of a step on one op.

    Attributes:
        path: Where the step stands in the pipeline.
        name: The pass's textual name; empty for a step that runs nested pipelines.
        display_name: The step's name in reports.
        ops: The op, last, and its enclosing ops, outermost first.

    Example:
        >>> ops = OpIdentity("builtin.module"), OpIdentity("func.func", "main", 2)
        >>> execution = PassExecution("any/func.func/0:cse", "cse", "CSE", ops)
        >>> execution.identity
        ('any/func.func/0:cse', (0, 2))
        >>> execution.title
        "`CSE` on 'func.func' operation: @main"
    """

    path: str
    name: str
    display_name: str
    ops: tuple[OpIdentity, ...]

    @property
    def op(self) -> OpIdentity:
        """The op."""
        return self.ops[-1]

    @property
    def identity(self) -> tuple[str, tuple[int, ...]]:
        """Path and ordinals: the same in every run of the pipeline, whatever else is run."""
        return self.path, tuple(op.ordinal for op in self.ops)

    @property
    def title(self) -> str:
        """The execution as MLIR names it in messages."""
        return f"`{self.display_name}` on {self.op.title}"


def execution_of(step: Step, chain: Chain) -> PassExecution:
    """Return a step's execution on the last op of `chain` as data."""
    name = step.pass_.name if isinstance(step, PassStep) else ""
    ops = tuple(identity for _, identity in chain)
    return PassExecution(step.path, name, step.display_name, ops)


def chain_of(run: Run, op: Any) -> Chain:
    """Return an op and its enclosing ops."""
    adapter = run.adapter
    chain: Chain = []
    for each in outwards(adapter, op):
        name, symbol = adapter.kind_of(each).name, adapter.symbol_name(each)
        chain.append((each, OpIdentity(name, symbol, run.ordinal_of(each))))
    chain.reverse()
    return chain
