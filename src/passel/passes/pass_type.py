"""Types of pass: which part a pass plays in a pipeline."""

from __future__ import annotations

from typing import NamedTuple


class PassType(NamedTuple):
    """The part that a pass plays in a pipeline, such as bufferization.

    A pass has any number of types, and a pipeline's passes of one type form an interval, from
    the first to the last of them; intervals may overlap. The set of types is open: two of the
    same name are the same type.

    Attributes:
        name: The name, such as `bufferization`.

    Example:
        >>> PassType("tiling") == PassType("tiling")
        True
    """

    name: str

    def __str__(self) -> str:
        return self.name


INGRESS = PassType("ingress")
"""Conversion from the format that a program comes in."""
NORMALIZATION = PassType("normalization")
"""Bringing equal programs into one form for the passes after it."""
EARLY_OPTIMIZATION = PassType("early-optimization")
"""Optimization of what the program says, such as of tensors."""
BUFFERIZATION = PassType("bufferization")
"""From values to memory."""
LATE_OPTIMIZATION = PassType("late-optimization")
"""Optimization of what the machine does, such as of loops over memory."""
HARDWARE_OPTIMIZATION = PassType("hardware-optimization")
"""Optimization for one target."""
CONVERSION = PassType("conversion")
"""From one form inside of the compiler to a lower one, such as from linalg to loops."""
LOWERING = PassType("lowering")
"""Conversion to the form that leaves the compiler, such as LLVM's."""
CLEANUP = PassType("cleanup")
"""Removal of what other passes leave behind."""
UNKNOWN = PassType("unknown")
"""The type of a pass for which none is declared."""
