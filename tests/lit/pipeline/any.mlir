// `any` fits every op that is isolated from above and skips the others.
// RUN: passel-opt %s -p 'any(any(dce))' | FileCheck %s
// RUN: passel-opt %s -p 'any(dce)' --no-implicit-module | FileCheck %s

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f() {
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
builtin.module {
  func.func @f() {
    %0 = arith.constant 1 : i32
    return
  }
}
