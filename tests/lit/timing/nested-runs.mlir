// What a pass runs is below that pass.
// RUN: passel-opt %s --mlir-timing --composite-fixed-point-pass='pipeline=cse' 2>&1 >/dev/null | FileCheck %s

// CHECK: %)  CompositeFixedPointPass
// CHECK-NEXT: %)    'any' Pipeline
// CHECK-NEXT: %)      CSE
func.func @f() {
  return
}
