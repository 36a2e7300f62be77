// A local reproducer has the IR before the pass that failed, and that pass alone.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'any(cse,func.func(mark,fail),cse)' --mlir-pass-pipeline-crash-reproducer=%t.mlir --mlir-pass-pipeline-local-reproducer --mlir-disable-threading --verify-each=false 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not passel-opt --load-pass-plugin=%inputs/passes.py --run-reproducer %t.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN

// CHECK: note: Pipeline failed while executing `Fail` on 'func.func' operation: @bad: reproducer generated at
// FILE: func.func @bad() attributes {seen = 1 : i32}
// FILE: pipeline: "builtin.module(func.func(fail{on=bad}))",
// FILE-NEXT: disable_threading: true,
// FILE-NEXT: verify_each: false
// AGAIN: error: 'func.func' op pass 'fail' failed: @bad is not wanted
func.func @bad() { return }
