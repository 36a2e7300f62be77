"""Run xDSL's passes and a custom pass on IR from JAX, with the dialects of xdsl-jax."""

from io import StringIO
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.printer import Printer
from xdsl.universe import Universe
from xdsl_jax.dialects.stablehlo import TransposeOp

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source


class Undo(RewritePattern):
    """Remove two transposes in a row if the second one undoes the first."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter) -> None:
        """Replace a transpose if its operand is the inverse transpose."""
        inner = op.operand.owner
        if isinstance(inner, TransposeOp):
            first, second = inner.get_permutation(), op.get_permutation()
            if all(first[place] == index for index, place in enumerate(second)):
                rewriter.replace(op, [], [inner.operand])


class UndoTransposes(ModulePass):
    """Remove transposes that undo each other."""

    name = "undo-transposes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Apply the pattern until no transposes cancel."""
        PatternRewriteWalker(Undo()).rewrite_module(op)


def dense(x: jax.Array, w: jax.Array, b: jax.Array) -> jax.Array:
    """Compute a layer twice, so that CSE has an op to remove."""
    return jnp.tanh(x @ w + b) * jnp.tanh(x @ w + b)


def turned(x: jax.Array, y: jax.Array) -> jax.Array:
    """Transpose both operands twice."""
    return (x.T.T + y) @ y.T.T


def gated(x: jax.Array) -> jax.Array:
    """Use a CHLO op, which xdsl-jax does not support, and call a JAX function."""
    return jnp.where(x > 0, jnp.arcsinh(x), 0.0)


def total(x: jax.Array) -> jax.Array:
    """Add up all elements, which JAX prints in a short form that xdsl-jax cannot parse."""
    return x.sum()


def text_of(op: Any) -> str:
    """Return the text of an op."""
    stream = StringIO()
    Printer(stream=stream).print_op(op)
    return stream.getvalue()


def main() -> None:
    """Lower four functions, and compare passel's and xDSL's results for three of them."""
    square, row = jnp.ones((3, 3)), jnp.ones(3)
    known = Universe.get_multiverse().all_passes
    for function, arguments in (
        (dense, (square, square, row)),
        (turned, (square, square)),
        (gated, (row,)),
    ):
        lowered: Any = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
        # A pass of JAX's own build of MLIR, on JAX's own IR.
        PassManager("builtin.module", lowered.context).add_nested(
            "func.func", "chlo-legalize-to-stablehlo"
        ).run(lowered)
        Path(f"{function.__name__}.mlir").write_text(str(lowered), encoding="utf-8")

        context = XDSLAdapter().create_context()
        theirs, ours = (parse_source(context, str(lowered), "jax.mlir") for _ in range(2))
        passes = (UndoTransposes(), known["canonicalize"]()(), known["cse"]()())
        PassPipeline(passes).apply(context, theirs)
        manager = PassManager("builtin.module", context).add(UndoTransposes())
        manager.nest("func.func").add("canonicalize", "cse")
        changed = manager.run(ours).changed
        same = text_of(ours) == text_of(theirs)
        print(function.__name__, "changed:", changed, "as by xDSL:", same)
    lowered = jax.jit(total).lower(row).compiler_ir("stablehlo")
    Path("total.mlir").write_text(str(lowered), encoding="utf-8")


if __name__ == "__main__":
    main()
