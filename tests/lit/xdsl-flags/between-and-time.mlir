// xdsl-opt's `--print-between-passes` and `--time-passes` report on the error stream.
// RUN: passel-opt %s -p 'builtin.module(func.func(cse),dce)' --print-between-passes --time-passes 2>&1 >/dev/null | FileCheck %s

// CHECK: IR after cse:
// CHECK-NEXT: func.func @f() {
// CHECK: IR after dce:
// CHECK-NEXT: builtin.module {
// CHECK: Pass builtin.module/func.func/0:cse took {{[0-9.]+}} seconds
// CHECK-NEXT: Pass builtin.module/{{[01]}}:dce took {{[0-9.]+}} seconds
func.func @f() {
  return
}
