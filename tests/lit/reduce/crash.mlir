// REQUIRES: mlir-opt
// A native pass that crashes the process is a failure like any other.
// RUN: passel-reduce %s --ir=mlir -p 'builtin.module(func.func(cse),convert-async-to-llvm)' -j 2 2>&1 | FileCheck %s

// CHECK:      async.runtime.create
// CHECK-NEXT: }
// CHECK:      pipeline: "builtin.module(convert-async-to-llvm)",
// CHECK:      passel-reduce: kept: SIGSEGV in builtin.module/convert-async-to-llvm
func.func @good() { return }
func.func @f(%a: tensor<4xf32>) -> !async.value<tensor<4xf32>> {
  %0 = async.runtime.create : !async.value<tensor<4xf32>>
  return %0 : !async.value<tensor<4xf32>>
}
