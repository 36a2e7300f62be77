"""Run passes of MLIR, StableHLO and Python in one pipeline on IR that JAX creates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import export
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.ir import Module
from jaxlib.mlir.passmanager import PassManager as JAXPassManager

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager, Statistic
from passel.instruments import Timing
from passel.mlir.passes import CSE, SymbolDCE


class CountOps(Pass[Any]):
    """Count the ops of the CHLO dialect in a function."""

    name = "count-ops"
    chlo = Statistic("Ops of CHLO")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Count the CHLO ops in the first block of a function."""
        for inner in op.body.blocks[0]:
            ctx.count(self.chlo, inner.operation.name.startswith("chlo."))
        ctx.preserve_all()


class NoLogarithm(Pass[Any]):
    """Fail on functions that contain a logarithm."""

    name = "no-logarithm"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Check the ops in the first block of a function."""
        for inner in op.body.blocks[0]:
            if inner.operation.name == "stablehlo.log_plus_one":
                raise PassFailure("a logarithm is left", op=inner)


def square(x: jax.Array) -> jax.Array:
    """Compute `asinh` twice, so that CSE has an op to remove."""
    return jnp.arcsinh(x) * jnp.arcsinh(x)


def gated(x: jax.Array) -> jax.Array:
    """Call a JAX function that is lowered to a private function."""
    return jnp.where(x > 0, jnp.arcsinh(x), 0.0)


def total(x: jax.Array) -> jax.Array:
    """Add up two logarithms of all elements."""
    return (jnp.log1p(x) + jnp.log1p(x)).sum()


PIPELINE = "builtin.module(func.func(cse,chlo-legalize-to-stablehlo),inline,symbol-dce)"
stablehlo.register_stablehlo_passes()
context = jax.jit(square).lower(jnp.ones(4)).compiler_ir("stablehlo").context
for function in (square, gated, total):
    text = str(jax.jit(function).lower(jnp.ones(4)).compiler_ir("stablehlo"))
    Path(f"{function.__name__}.mlir").write_text(text, encoding="utf-8")
    theirs, ours = (Module.parse(text, context) for _ in range(2))
    with context:
        JAXPassManager.parse(PIPELINE).run(theirs.operation)
    PassManager.parse(PIPELINE, context).run(ours)
    print(function.__name__, "as by JAX:", str(ours) == str(theirs))

module = jax.jit(square).lower(jnp.ones(4)).compiler_ir("stablehlo")

manager = PassManager("builtin.module", module.context)
functions = manager.nest("func.func")
functions.add(CountOps(), CSE(), "chlo-legalize-to-stablehlo", CountOps())
manager.add(SymbolDCE()).add_instrumentation(Timing())
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

exported = export.export(jax.jit(square))(jax.ShapeDtypeStruct((4,), jnp.float32))
changed = Module.parse(exported.mlir_module(), context)
PassManager.parse(PIPELINE, context).run(changed)
artifact = stablehlo.serialize_portable_artifact_str(str(changed), stablehlo.get_current_version())
again = replace(exported, mlir_module_serialized=artifact)
x = jnp.arange(4.0)
print("JAX executes it:", jnp.allclose(again.call(x), square(x)))
