// A run that fails has its report as well.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --mlir-pass-statistics --pass-pipeline='builtin.module(symbol-dce,func.func(fail))' 2>&1 >/dev/null | FileCheck %s

// CHECK: Pass statistics report
// CHECK: (S) 1 num-dce'd
// CHECK: 'func.func' Pipeline
func.func @bad() {
  return
}
func.func private @unused()
