// Passes of xDSL count the operations that they create and erase.
// RUN: passel-opt %s --mlir-pass-statistics --convert-arith-to-riscv 2>&1 >/dev/null | FileCheck %s

// CHECK: ConvertArithToRiscvPass
// CHECK-NEXT: (S) 2 num-created - Number of operations created
// CHECK-NEXT: (S) 1 num-erased  - Number of operations erased
func.func @f() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
