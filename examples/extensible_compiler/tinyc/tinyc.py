"""A compiler whose pipeline others extend: from tensors to what mlir-runner runs.

Its ingress is one of two formats, chosen when it runs. It knows no extension; what is installed
adds to its pipeline. With `--ir=xdsl` its passes are xDSL's, but for MLIR's bufferization, and
its result is what `mlir-opt --convert-to-llvm` takes on.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from passel import InsertionError, mlir, xdsl
from passel.builder import (
    BUFFERIZATION,
    INGRESS,
    LOWERING,
    Bundle,
    PipelineBuilder,
    installed_extensions,
)

BUFFERIZE = (
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map}"
)
TO_LLVM = (
    "expand-strided-metadata,lower-affine,finalize-memref-to-llvm,convert-arith-to-llvm,"
    "convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts"
)
FROM_TOSA = "func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor)"

cleanup = Bundle("cleanup", "canonicalize", "cse")
ingress = {
    "linalg": Bundle("from-linalg", cleanup, types=(INGRESS,)),
    "tosa": Bundle("from-tosa", FROM_TOSA, cleanup, types=(INGRESS,)),
}
bufferization = {
    "mlir": Bundle("bufferization", BUFFERIZE, cleanup),
    "xdsl": Bundle("bufferization", f"mlir({BUFFERIZE})", types=(BUFFERIZATION,)),
}
lowering = {
    "mlir": Bundle(
        "lowering",
        "func.func(convert-linalg-to-loops,convert-scf-to-cf)",
        TO_LLVM,
        types=(LOWERING,),
    ),
    "xdsl": Bundle(
        "lowering", "convert-linalg-to-loops,lower-affine,convert-scf-to-cf", types=(LOWERING,)
    ),
}


def pipeline(ir: str, format_: str, context: Any, *, bufferizes: bool = True) -> PipelineBuilder:
    """Return the compiler's own pipeline, which others may extend."""
    builder = PipelineBuilder("builtin.module", context)
    builder.add(ingress[format_], cleanup)
    if bufferizes:
        builder.add(bufferization[ir])
    builder.add(lowering[ir])
    return builder


def extend(builder: PipelineBuilder) -> None:
    """Let what is installed add to the pipeline; if that has no buffers, do without it."""
    try:
        builder.extend(*installed_extensions())
    except InsertionError as refusal:
        if BUFFERIZATION in builder:
            raise
        print(f"tinyc: going on without extensions: {refusal}", file=sys.stderr)


def main() -> None:
    """Compile a file and print the result, or print the pipeline."""
    parser = argparse.ArgumentParser(prog="tinyc")
    parser.add_argument("file", type=Path)
    parser.add_argument("--format", choices=("linalg", "tosa"), default="linalg")
    parser.add_argument("--ir", choices=("mlir", "xdsl"), default="mlir")
    parser.add_argument("--no-bufferize", action="store_true")
    parser.add_argument("--print-pipeline", action="store_true")
    arguments = parser.parse_args()

    adapter = mlir.MLIRAdapter() if arguments.ir == "mlir" else xdsl.XDSLAdapter()
    context: Any = adapter.create_context()
    builder = pipeline(
        arguments.ir, arguments.format, context, bufferizes=not arguments.no_bufferize
    )
    extend(builder)
    manager = builder.build()
    if arguments.print_pipeline:
        print(manager.to_text(pretty=True), *builder.report(), sep="\n")
        return
    text = arguments.file.read_text(encoding="utf-8")
    parse = mlir.parse_source if arguments.ir == "mlir" else xdsl.parse_source
    module = parse(context, text, str(arguments.file))
    manager.run(module)
    print(module)


if __name__ == "__main__":
    main()
