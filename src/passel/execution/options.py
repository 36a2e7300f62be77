"""The options of a run: its gates, verification policy and remark filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.passes.remarks import RemarkFilter
    from passel.schedule import Step

PassGate: TypeAlias = "Callable[[Step, Any], bool]"
"""A function that takes a step and an op, and returns whether the step runs on the op."""


class RunOptions(NamedTuple):
    """The options of a run.

    A run does not verify its input. The producer of the IR must ensure that the input is valid.

    Attributes:
        verify: Whether to verify the IR: True after each pass that changed its op's fingerprint and
            did not preserve everything, `"always"` after each pass that did not preserve
            everything, even if its op is unchanged, and False never.
        remarks: The filter for optimization remarks; None to discard all remarks.
    """

    verify: bool | Literal["always"] = True
    remarks: RemarkFilter | None = None
