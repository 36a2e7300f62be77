"""Exit with 0 if JAX computes different numbers with a file's module than with the original."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import export
from jaxlib.mlir.dialects import stablehlo

from passel import Pass, PassContext


class SwapOperands(Pass[Any]):
    """Swap the operands of divisions, which is a bug."""

    name = "swap-operands"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Swap the operands of each division in the first block of a function."""
        for inner in op.body.blocks[0]:
            if inner.operation.name == "stablehlo.divide":
                left, right = inner.operation.operands
                inner.operation.operands[0], inner.operation.operands[1] = right, left


def square(x: jax.Array) -> jax.Array:
    """Compute the square of `asinh`, as in `square.mlir`."""
    return jnp.arcsinh(x) * jnp.arcsinh(x)


if __name__ == "__main__":
    x = jnp.arange(4.0)
    exported = export.export(jax.jit(square))(x)
    text, version = Path(sys.argv[1]).read_text(encoding="utf-8"), stablehlo.get_current_version()
    artifact = stablehlo.serialize_portable_artifact_str(text, version)
    changed = replace(exported, mlir_module_serialized=artifact)
    sys.exit(bool(jnp.allclose(changed.call(x), square(x))))
