// A failing case gets small: the input and the pipeline, as a reproducer that fails in the same way.
// RUN: passel-reduce %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(func.func(cse,mark,fail{on=bad}),symbol-dce)' -o "%t 1.mlir" 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < "%t 1.mlir"
// RUN: not passel-opt --run-reproducer "%t 1.mlir" --load-pass-plugin=%inputs/passes.py 2>&1 | FileCheck %s --check-prefix=REPLAY

// CHECK: passel-reduce: kept: PassFailure in builtin.module/func.func/fail: {{.*}} is not wanted
// CHECK: passel-reduce: 4 -> 1 passes, 6 -> 3 ops, {{[0-9]+}} checks,
// CHECK: passel-reduce: to replay: passel-opt --run-reproducer --load-pass-plugin={{.*}}passes.py '{{.*}} 1.mlir'

// FILE:      builtin.module {
// FILE-NEXT:   func.func @bad() {
// FILE-NEXT:     func.return
// FILE-NEXT:   }
// FILE-NEXT: }
// FILE:      pipeline: "builtin.module(func.func(fail))",

// REPLAY: 'func.func' op pass 'fail' failed: @bad is not wanted
func.func @good() { return }
func.func @bad() {
  %0 = arith.constant 1 : i32
  return
}
