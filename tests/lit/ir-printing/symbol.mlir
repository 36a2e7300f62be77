// Only the symbol is printed, whatever op around it the pass ran on.
// RUN: passel-opt %s -p 'builtin.module(func.func(cse),symbol-dce)' --mlir-print-ir-op=@g 2>&1 >/dev/null | FileCheck %s
// RUN: passel-opt %s -p 'builtin.module(cse)' --mlir-print-ir-op=@gg 2>&1 >/dev/null | FileCheck %s --check-prefix=MISSING
// RUN: not passel-opt %s --mlir-print-ir-op=@ 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: // -----// IR Dump After CSE (cse) ('func.func' operation: @g) //----- //
// CHECK-NEXT: func.func @g() {
// CHECK: // -----// IR Dump After SymbolDCE (symbol-dce) ('builtin.module' operation: @top) //----- //
// CHECK-NEXT: func.func @g() {
// CHECK-NOT: IR Dump
// MISSING: warning: no operation defines @gg, so its IR was not printed; did you mean 'g'?
// WRONG: error: '--mlir-print-ir-op' takes a symbol such as @main, not '@'

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
