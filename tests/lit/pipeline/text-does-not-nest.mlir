// In text nothing nests itself: the message says what to write.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(cse,mark)' 2>&1 | FileCheck %s
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'any(fun.func(mark))' 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: on a PassManager intended to run on 'fun.func'; did you mean 'func.func'?

// CHECK: --pass-pipeline:1:20: error: can't add pass 'mark' restricted to 'func.func' on a PassManager intended to run on 'builtin.module', did you intend to nest? Write func.func(mark)
// CHECK-NEXT: builtin.module(cse,mark)
// CHECK-NEXT: {{^}}                   ^~~~{{$}}
