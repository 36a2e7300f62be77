// Passes that changed nothing print nothing; the flag alone prints nothing at all.
// RUN: passel-opt %s -p 'builtin.module(func.func(cse,canonicalize))' --mlir-print-ir-after-all --mlir-print-ir-after-change 2>&1 >/dev/null | FileCheck %s
// RUN: passel-opt %s -p 'builtin.module(func.func(cse))' --mlir-print-ir-after-change -o /dev/null 2> %t.err && test ! -s %t.err

// CHECK: // -----// IR Dump After CSE (cse) //----- //
// CHECK-NEXT: func.func @f
// CHECK-NOT: IR Dump

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
