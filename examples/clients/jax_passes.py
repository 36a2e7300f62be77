"""Passes of MLIR, of StableHLO and in Python, in one pipeline on what JAX lowers a function to."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager, Statistic
from passel.instruments import Timing


class CountOps(Pass[Any]):
    """Count ops of CHLO."""

    name = "count-ops"
    chlo = Statistic("Ops of CHLO")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Look at the ops of a function's body."""
        for inner in op.body.blocks[0]:
            ctx.count(self.chlo, inner.operation.name.startswith("chlo."))
        ctx.preserve_all()


class NoLogarithm(Pass[Any]):
    """Refuse logarithms."""

    name = "no-logarithm"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Look at the ops of a function's body."""
        for inner in op.body.blocks[0]:
            if inner.operation.name == "stablehlo.log_plus_one":
                raise PassFailure("a logarithm is left", op=inner)


def square(x: jax.Array) -> jax.Array:
    """Compute `asinh` twice, which CSE finds."""
    return jnp.arcsinh(x) * jnp.arcsinh(x)


module = jax.jit(square).lower(jnp.ones(4)).compiler_ir("stablehlo")

manager = PassManager("builtin.module", module.context)
functions = manager.nest("func.func")
functions.add(CountOps(), "cse,chlo-legalize-to-stablehlo", CountOps())
manager.add("symbol-dce").add_instrumentation(Timing())
result = manager.run(module)
print(manager)
for path, counts in result.statistics.items():
    print(path, *counts.values())
if result.timing and (timer := result.timing.find("builtin.module/func.func/1:cse")):
    print("cse ran on", timer.count, "function")

strict = PassManager("builtin.module", module.context).add_nested("func.func", "cse", NoLogarithm())
try:
    strict.run(module)
except PassFailedError as error:
    found = error.failures[0].diagnostic
    print(f"line {found.location.line}: {found.message}")
