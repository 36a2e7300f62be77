// A reproducer that is opened with another IR than its own says which flag it takes.
// RUN: rm -rf %t && mkdir %t
// RUN: sed -e s/PASS/affine-loop-fusion/ -e s/RESOURCES/external_resources/ %s > %t/mlir.mlir
// RUN: sed -e s/PASS/convert-arith-to-riscv/ -e s/RESOURCES/external_resources/ %s > %t/xdsl.mlir
// RUN: not passel-opt --run-reproducer %t/mlir.mlir 2>&1 | FileCheck %s --check-prefix=MLIR
// RUN: passel-opt --run-reproducer --ir=mlir %t/mlir.mlir
// RUN: not passel-opt --run-reproducer --ir=mlir %t/xdsl.mlir 2>&1 | FileCheck %s --check-prefix=XDSL

// MLIR: error: 'affine-loop-fusion' does not refer to a registered pass or pass pipeline
// MLIR: note: another installed IR provides 'affine-loop-fusion'; use --ir=mlir

// XDSL: error: 'convert-arith-to-riscv' does not refer to a registered pass or pass pipeline
// XDSL: note: another installed IR provides 'convert-arith-to-riscv'; use --ir=xdsl

func.func @f() {
  return
}

{-#
  RESOURCES: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(cse,PASS))"
    }
  }
#-}
