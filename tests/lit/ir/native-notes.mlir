// MLIR's notes are shown with its errors; the one with the op is left out where mlir-opt leaves it out.

// RUN: not passel-opt --ir=mlir %s -p 'builtin.module(func.func(cse,convert-complex-to-llvm))' 2>&1 | FileCheck %s
// RUN: not passel-opt --ir=mlir %s -p 'builtin.module(func.func(cse,convert-complex-to-llvm))' --mlir-timing 2>&1 | FileCheck %s
// RUN: not passel-opt --ir=mlir %s -p 'builtin.module(func.func(convert-complex-to-llvm))' --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: passel-opt --ir=mlir %s -p 'builtin.module(func.func(cse,convert-complex-to-llvm))' --verify-diagnostics

// CHECK: error: failed to legalize operation 'complex.cos'
// CHECK: note: see current operation: %0 = "complex.cos"(%arg0)
// CHECK: error: 'func.func' op pass 'convert-complex-to-llvm' failed
// CHECK-NOT: see current operation
// PLAIN-NOT: see current operation

// expected-error @+1 {{pass 'convert-complex-to-llvm' failed}}
func.func @f(%a: complex<f32>) -> complex<f32> {
  // expected-error @+1 {{failed to legalize operation 'complex.cos'}}
  %0 = complex.cos %a : complex<f32>
  return %0 : complex<f32>
}
