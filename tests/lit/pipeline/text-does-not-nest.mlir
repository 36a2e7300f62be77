// In text nothing nests itself: the message says what to write.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(cse,mark)' 2>&1 | FileCheck %s

// CHECK: --pass-pipeline:1:20: error: can't add pass 'mark' restricted to 'func.func' on a PassManager intended to run on 'builtin.module', did you intend to nest?
// CHECK-NEXT: builtin.module(cse,mark)
// CHECK-NEXT: {{^}}                   ^~~~{{$}}
