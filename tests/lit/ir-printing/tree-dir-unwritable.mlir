// A directory that cannot be made is said once; the result is what it would have been.
// RUN: touch %t && passel-opt %s -p 'builtin.module(func.func(cse))' --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t/tree 2>&1 | FileCheck %s

// CHECK: error: cannot print the IR to '{{.*}}': Not a directory; nothing more is printed
// CHECK-NOT: error
// CHECK: builtin.module @top {

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
