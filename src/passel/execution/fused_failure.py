"""Failures of steps that the IR runs as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import PassFailure
    from passel.ir import InvalidIR
    from passel.schedule import Step


class Inside(NamedTuple):
    """A failure in a `FusedStep`.

    Attributes:
        step: The step that failed.
        op: The op that it ran on.
        reason: What would have been raised by that step alone.
        said: What was reported before.
    """

    step: Step
    op: Any
    reason: PassFailure | InvalidIR
    said: Sequence[Diagnostic]


class FusedFailure(Exception):  # noqa: N818 - says what is; never leaves passel
    """Raised by the pass of a `FusedStep`.

    Attributes:
        failures: What failed in there, in program order.
        said: What was reported after the last of them.
    """

    def __init__(self, failures: Sequence[Inside], said: Sequence[Diagnostic] = ()) -> None:
        super().__init__()
        self.failures: tuple[Inside, ...] = tuple(failures)
        self.said: tuple[Diagnostic, ...] = tuple(said)
