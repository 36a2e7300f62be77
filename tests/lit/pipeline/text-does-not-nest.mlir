// In text nothing nests itself: the message says what to write.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(cse,mark)' 2>&1 | FileCheck %s

// CHECK: --pass-pipeline:1:20: error: can't add pass 'mark' restricted to 'func.func' on a PassManager intended to run on 'builtin.module', did you intend to nest? Write {{.*}}func.func(mark)
// CHECK-NEXT: builtin.module(cse,mark)
// CHECK-NEXT: {{^}}                   ^~~~{{$}}

// A misspelt anchor is one error, at the anchor.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(func.fnc(mark,mark))' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: --pass-pipeline:1:16: error: no registered operation is called 'func.fnc'; did you mean 'func.func'?
// ANCHOR-NEXT: builtin.module(func.fnc(mark,mark))
// ANCHOR-NEXT: {{^}}               ^~~~~~~~{{$}}
// ANCHOR-NOT: error
