// A part that the pipeline does not fit is an error, and the other parts are processed, as by mlir-opt.
// RUN: not passel-opt %s --no-implicit-module --split-input-file -p 'builtin.module(cse)' 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t

// ERROR: --pass-pipeline:1:1: error: can't run 'builtin.module' pass manager on 'func.func' op
// ERROR-NEXT: {{^}}builtin.module(cse)
// ERROR-NEXT: {{^\^$}}
func.func @a() { return }

// -----

// CHECK: func.func @b()
module { func.func @b() { return } }
