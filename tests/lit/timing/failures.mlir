// Each part of the input has its report, whether or not it can be read.
// RUN: not passel-opt %s --split-input-file --mlir-timing --cse 2>&1 >/dev/null | FileCheck %s

// CHECK: error: Expected
// CHECK: Execution time report
// CHECK: %)  Parser
// CHECK-NEXT: %)  Rest
// CHECK-NEXT: %)  Total
// CHECK: Execution time report
// CHECK: %)  Parser
// CHECK-NEXT: %)  CSE
// CHECK-NEXT: %)  Output
// CHECK-NOT: Execution time report
func.func @f( {
// -----
func.func @f() {
  return
}
