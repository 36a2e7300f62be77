// Passes are chosen by name; names of pipelines are taken too, others refused.
// RUN: passel-opt %s -p 'builtin.module(func.func(cse),symbol-dce)' --mlir-print-ir-before=symbol-dce --mlir-print-ir-after=cse 2>&1 >/dev/null | FileCheck %s
// RUN: not passel-opt %s --cse --mlir-print-ir-after=nope 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: IR Dump After CSE (cse)
// CHECK: IR Dump After CSE (cse)
// CHECK: IR Dump Before SymbolDCE (symbol-dce)
// CHECK-NOT: IR Dump
// UNKNOWN: '--mlir-print-ir-after': there is no pass 'nope'

module @top {
  func.func @f(%arg0: i32) -> i32 {
    %0 = arith.addi %arg0, %arg0 : i32
    %1 = arith.addi %arg0, %arg0 : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
  func.func @g() {
    return
  }
}
