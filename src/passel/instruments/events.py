"""Executions of passes as plain data, which can be printed, stored and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.schedule import PassStep

if TYPE_CHECKING:
    from passel.hooks import ObservedRun, OpIdentity
    from passel.schedule import Step


class PassExecution(NamedTuple):
    """A single execution of a step on an op.

    Attributes:
        path: The path of the step in the pipeline.
        name: The textual name of the pass; empty for a step that runs nested pipelines.
        display_name: The name of the step, as printed in reports.
        ops: All enclosing ops, outermost first, and then the op that the step ran on.

    Example:
        >>> from passel.hooks import OpIdentity
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
        """The op that the step ran on."""
        return self.ops[-1]

    @property
    def identity(self) -> tuple[str, tuple[int, ...]]:
        """The path of the step and the ordinals of the ops.

        Runs of the same pipeline on the same input have the same identities.
        """
        return self.path, tuple(op.ordinal for op in self.ops)

    @property
    def title(self) -> str:
        """The description of the execution, worded as in MLIR's messages."""
        return f"`{self.display_name}` on {self.op.title}"


def execution_of(run: ObservedRun, step: Step, op: Any) -> PassExecution:
    """Return the `PassExecution` of a step on an op."""
    name = step.pass_.name if isinstance(step, PassStep) else ""
    return PassExecution(step.path, name, step.display_name, run.identify(op))
