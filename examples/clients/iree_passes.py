"""Run passes of MLIR, IREE and Python in one pipeline, and compile the result with IREE."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iree.compiler import compile_str
from iree.compiler.ir import Context
from iree.compiler.passmanager import PassManager as IREEPassManager

from passel import Pass, PassContext, PassManager, PipelineError
from passel.mlir import parse_source
from passel.mlir.passes import CSE, Inliner, SymbolDCE

SOURCE = """
util.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %x, %x : tensor<4xf32>
  util.return %0 : tensor<4xf32>
}
util.func public @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = util.call @square(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = util.call @square(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = arith.addf %0, %1 : tensor<4xf32>
  util.return %2 : tensor<4xf32>
}
"""


UNUSED = """
util.func public @unused(%x: tensor<8xi32>) -> tensor<8xi32> {
  %c2 = arith.constant dense<2> : tensor<8xi32>
  %0 = arith.muli %x, %c2 : tensor<8xi32>
  %1 = arith.muli %x, %c2 : tensor<8xi32>
  util.return %1 : tensor<8xi32>
}
"""
GLOBAL = """
util.global private @weight = dense<3.0> : tensor<2xf32>
util.func private @load() -> tensor<2xf32> {
  %w = util.global.load @weight : tensor<2xf32>
  util.return %w : tensor<2xf32>
}
util.func public @scale(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = util.call @load() : () -> tensor<2xf32>
  %0 = arith.mulf %x, %w : tensor<2xf32>
  util.return %0 : tensor<2xf32>
}
"""
PIPELINE = "builtin.module(inline,symbol-dce,iree-util-ipo,util.func(cse,iree-flow-canonicalize))"

for name, source in {"square": SOURCE, "unused": UNUSED, "global": GLOBAL}.items():
    theirs, ours = (parse_source(Context(), source, f"{name}.mlir") for _ in range(2))
    Path(f"{name}.mlir").write_text(source, encoding="utf-8")
    with theirs.context:
        IREEPassManager.parse(PIPELINE).run(theirs.operation)
    PassManager.parse(PIPELINE, ours.context).run(ours)
    print(name, "as by IREE:", str(ours) == str(theirs))


class ListOps(Pass[Any]):
    """List the ops of a function."""

    name = "list-ops"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Print the names of the function and of the ops in its first block."""
        symbol = op.attributes["sym_name"].value
        print(symbol, *(inner.operation.name for inner in op.regions[0].blocks[0]))
        ctx.preserve_all()


module = parse_source(Context(), SOURCE, "square.mlir")
manager = PassManager("builtin.module", module.context)
manager.add(Inliner(), SymbolDCE(), "iree-util-ipo")
manager.nest("util.func").add(CSE(), "iree-flow-canonicalize", ListOps())
manager.run(module)
print(manager)

try:
    PassManager.parse("builtin.module(util.func(cse,iree-flow-canonicalise))", module.context)
except PipelineError as error:
    print(str(error).splitlines()[0])
binary = compile_str(str(module), target_backends=["vmvx"])
print("IREE's compiler took it:", len(binary) > 0)
