"""Types of pass: the roles of passes in a pipeline."""

from __future__ import annotations

from typing import NamedTuple


class PassType(NamedTuple):
    """The role of a pass in a pipeline, such as bufferization.

    A pass has any number of types. The interval of a type reaches from its first to its last pass
    in a pipeline, and intervals may overlap. The set of types is open, and types of the same name
    are equal.

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
"""Conversion from an input format."""
NORMALIZATION = PassType("normalization")
"""Conversion to a canonical form that later passes expect."""
EARLY_OPTIMIZATION = PassType("early-optimization")
"""Optimization at a high level, such as of tensors."""
BUFFERIZATION = PassType("bufferization")
"""Conversion of tensors to buffers in memory."""
LATE_OPTIMIZATION = PassType("late-optimization")
"""Optimization at a low level, such as of loops over memory."""
HARDWARE_OPTIMIZATION = PassType("hardware-optimization")
"""Optimization for one target."""
CONVERSION = PassType("conversion")
"""Conversion between the compiler's levels, such as from linalg to loops."""
LOWERING = PassType("lowering")
"""Conversion to the output dialect, such as LLVM's."""
CLEANUP = PassType("cleanup")
"""Removal of code that earlier passes made dead or redundant."""
UNKNOWN = PassType("unknown")
"""The type of a pass that declares no type."""
