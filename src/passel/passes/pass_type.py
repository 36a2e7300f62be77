"""Pass types: the roles of passes in a pipeline."""

from __future__ import annotations

from typing import NamedTuple


class PassType(NamedTuple):
    """A role, such as bufferization, that a pass has in a pipeline.

    A pass can have any number of pass types. In a pipeline, the interval of a pass type extends
    from the first to the last pass that has this pass type. Intervals may overlap. Any package can
    define additional pass types. Two pass types with the same name are equal.

    Attributes:
        name: The name of the role, such as `bufferization`.

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
"""Optimization at a high level, such as on tensors."""
BUFFERIZATION = PassType("bufferization")
"""Conversion of tensors to buffers in memory."""
LATE_OPTIMIZATION = PassType("late-optimization")
"""Optimization at a low level, such as on loops over memory."""
HARDWARE_OPTIMIZATION = PassType("hardware-optimization")
"""Optimization for a specific target."""
CONVERSION = PassType("conversion")
"""Conversion between levels of abstraction, such as from `linalg` to loops."""
LOWERING = PassType("lowering")
"""Conversion to the output dialect, such as `llvm`."""
CLEANUP = PassType("cleanup")
"""Removal of code that earlier passes made dead or redundant."""
UNKNOWN = PassType("unknown")
"""The type of all passes that declare no type."""
