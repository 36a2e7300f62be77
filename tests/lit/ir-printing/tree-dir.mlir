// One file for each dump, in directories that are made with their parents.
// RUN: rm -rf %t && passel-opt %s -p 'builtin.module(func.func(cse),symbol-dce)' --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t/deep/tree -o /dev/null 2> %t.err && test ! -s %t.err
// RUN: FileCheck %s < %t/deep/tree/builtin_module_top/func_func_f/0_0_cse.mlir
// RUN: ls %t/deep/tree/builtin_module_top/func_func_g/0_0_cse.mlir %t/deep/tree/builtin_module_top/1_symbol-dce.mlir

// CHECK: // -----// IR Dump After CSE (cse) //----- //
// CHECK-NEXT: func.func @f

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
