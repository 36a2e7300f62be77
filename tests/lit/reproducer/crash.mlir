// A failed run leaves a file behind: the IR before the run, and the whole pipeline.
// RUN: rm -f %t.mlir
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'any(cse,func.func(mark),func.func(fail),cse)' --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir

// CHECK: crash.mlir:29:1: error: 'func.func' op pass 'fail' failed: @bad is not wanted
// CHECK: crash.mlir:29:1: error: Failures have been detected while processing an MLIR pass pipeline
// CHECK-NEXT: func.func @bad()
// CHECK-NEXT: ^
// CHECK-NEXT: note: Pipeline failed while executing [`Fail` on 'func.func' operation: @bad]: reproducer generated at `{{.*}}.mlir`
// CHECK-NEXT: to replay: passel-opt --run-reproducer --load-pass-plugin={{.*}}passes.py {{.*}}.mlir

// FILE:      builtin.module {
// FILE-NEXT:   func.func @bad() {
// FILE-NEXT:     func.return
// FILE-NEXT:   }
// FILE-NEXT: }
// FILE-EMPTY:
// FILE-NEXT: {-#
// FILE-NEXT:   external_resources: {
// FILE-NEXT:     mlir_reproducer: {
// FILE-NEXT:       pipeline: "builtin.module(cse, func.func(mark,fail{on=bad}), cse)",
// FILE-NEXT:       disable_threading: false,
// FILE-NEXT:       verify_each: true
// FILE-NEXT:     }
// FILE-NEXT:   }
// FILE-NEXT: #-}
// FILE-NOT:  {{.}}
func.func @bad() { return }
