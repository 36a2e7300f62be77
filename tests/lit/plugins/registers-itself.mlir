// A plugin may register passes and pipelines itself while it is imported.
// RUN: passel-opt %s --load-pass-plugin=%inputs/registers_itself.py --tidy-up | FileCheck %s
// RUN: passel-opt %s --load-pass-plugin=%inputs/registers_itself.py -p 'builtin.module(func.func(tidy-up))' | FileCheck %s

// CHECK-NOT: arith.constant
func.func @f() {
  %0 = arith.constant 1 : i32
  return
}
