// xdsl-opt's `--print-between-passes` and `--time-passes` are other names of mlir-opt's flags.
// RUN: passel-opt %s -p 'builtin.module(func.func(cse),dce)' --print-between-passes --time-passes 2>&1 >/dev/null | FileCheck %s

// CHECK: IR Dump After {{.*}}cse
// CHECK: IR Dump After {{.*}}dce
// CHECK: Execution time report
func.func @f() {
  return
}
