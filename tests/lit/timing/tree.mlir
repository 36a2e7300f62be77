// The time that each pass took, in a tree like the pipeline; not on the standard output.
// RUN: passel-opt %s --mlir-timing --pass-pipeline='builtin.module(func.func(cse,canonicalize),cse)' 2>&1 >%t.out | FileCheck %s
// RUN: FileCheck %s --check-prefix=OUT < %t.out

// CHECK: {{^===-{73}===$}}
// CHECK-NEXT: ... Execution time report ...
// CHECK-NEXT: {{^===-{73}===$}}
// CHECK-NEXT: Total Execution Time: {{[0-9]+\.[0-9][0-9][0-9][0-9]}} seconds
// CHECK-EMPTY:
// CHECK-NEXT: ----Wall Time----  ----Name----
// CHECK-NEXT: {{[0-9]+\.[0-9][0-9][0-9][0-9] \( *[0-9.]+%\)}}  Parser
// CHECK-NEXT: %)  'func.func' Pipeline
// CHECK-NEXT: %)    CSE
// CHECK-NEXT: %)    Canonicalizer
// CHECK-NEXT: %)  CSE
// CHECK-NEXT: %)  Output
// CHECK-NEXT: %)  Rest
// CHECK-NEXT: (100.0%)  Total
// CHECK-NOT: {{.}}
// OUT-NOT: Execution time
// OUT: func.func @f()
func.func @f() {
  return
}
