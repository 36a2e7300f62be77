// The IR after a failed pass follows what the pass said; those that succeeded print nothing.
// RUN: not passel-opt %s --load-pass-plugin %inputs/passes.py -p 'builtin.module(func.func(cse,fail))' --mlir-print-ir-after-failure 2>&1 | FileCheck %s
// RUN: not passel-opt %s --load-pass-plugin %inputs/passes.py -p 'builtin.module(func.func(break))' --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=INVALID

// CHECK-NOT: IR Dump
// CHECK: error: 'func.func' op pass 'fail' failed: @bad is not wanted
// CHECK: // -----// IR Dump After Fail Failed (fail) //----- //
// CHECK-NEXT: func.func @bad() {
// CHECK-NOT: IR Dump
// INVALID: IR Dump After {{.*}} Failed (break) //----- //
// INVALID-NEXT: "func.func"()
func.func @good() {
  return
}
func.func @bad() {
  return
}
