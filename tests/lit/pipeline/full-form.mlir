// The full form nests: each manager runs on the ops of its name.
// RUN: passel-opt %s --pass-pipeline='builtin.module(func.func(cse,dce),symbol-dce)' | FileCheck %s
// RUN: passel-opt %s -p 'builtin.module(builtin.module(func.func(dce)))' | FileCheck %s --check-prefix=DEEPER

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f() {
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
// DEEPER:     arith.constant
func.func @f() {
  %0 = arith.constant 1 : i32
  return
}
func.func private @unused()
