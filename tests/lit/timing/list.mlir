// A list has one row for each name, sorted by time; the whole run comes first.
// RUN: passel-opt %s --mlir-timing --mlir-timing-display=list --pass-pipeline='builtin.module(func.func(cse),cse)' 2>&1 >/dev/null | FileCheck %s

// CHECK: ----Wall Time----
// CHECK-NEXT: (100.0%)  root
// CHECK-DAG: %)  CSE
// CHECK-DAG: %)  'func.func' Pipeline
// CHECK-DAG: %)  Pipeline Collection : ['func.func']
// CHECK-DAG: %)  Parser
// CHECK: %)  Rest
// CHECK-NEXT: (100.0%)  Total
func.func @f() {
  return
}
