// The whole module is printed, and the header says which op the pass ran on.
// RUN: passel-opt %s -p 'builtin.module(func.func(cse))' --mlir-print-ir-before-all --mlir-print-ir-module-scope 2>&1 >/dev/null | FileCheck %s

// CHECK: // -----// IR Dump Before CSE (cse) ('func.func' operation: @f) //----- //
// CHECK-NEXT: builtin.module @top {
// CHECK: // -----// IR Dump Before CSE (cse) ('func.func' operation: @g) //----- //
// CHECK-NEXT: builtin.module @top {

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
