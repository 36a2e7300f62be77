// A diff shows what each pass changed, and needs no other flag. Another number alone is no change.
// RUN: passel-opt %s -p 'builtin.module(func.func(cse,canonicalize))' --mlir-print-ir-diff 2>&1 >/dev/null | FileCheck %s

// CHECK: // -----// IR Dump After CSE (cse) //----- //
// CHECK-NEXT: --- before
// CHECK-NEXT: +++ after
// CHECK-NEXT: @@ -1,6 +1,5 @@
// CHECK: -  %1 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT: -  %2 = arith.muli %0, %1 : i32
// CHECK-NEXT: +  %1 = arith.muli %0, %0 : i32
// CHECK-NEXT: {{^}}   func.return %1 : i32
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
