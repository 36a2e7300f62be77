// A pipeline for another op than the input's does not run, and the way out is shown.
// RUN: not passel-opt %s -p 'func.func(cse)' 2> %t > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t
// RUN: passel-opt %s -p 'func.func(cse)' --no-implicit-module | FileCheck %s --check-prefix=ALONE

// CHECK: --pass-pipeline:1:1: error: can't run 'func.func' pass manager on 'builtin.module' op; to run the pipeline on nested ops, write builtin.module(func.func(...))
// CHECK-NEXT: func.func(cse)
// CHECK-NEXT: {{^\^$}}
// ALONE-NOT: builtin.module
// ALONE: func.func @f()
func.func @f() {
  return
}
