"""Options of a run."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.passes.remarks import RemarkFilter
    from passel.schedule import Step

PassGate: TypeAlias = "Callable[[Step, Any], bool]"
"""Function that decides whether a step runs on an op."""


class VerifyEach(Enum):
    """The policy for verifying the IR during a run.

    A run never verifies its input; the producer of the input does.
    """

    OFF = "false"
    CHANGED = "true"
    """After each pass, unless it preserved everything or the op's fingerprint is unchanged."""
    ALWAYS = "always"
    """After each pass that did not preserve everything, whether or not it changed the op."""


class RunOptions(NamedTuple):
    """Options of a run.

    Attributes:
        verify: The policy for verification.
        remarks: The filter of optimization remarks; None if all are discarded.
    """

    verify: VerifyEach = VerifyEach.CHANGED
    remarks: RemarkFilter | None = None
