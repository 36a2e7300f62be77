// A file to replay a run that went well has the IR after it and the pipeline as it was given.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'any(cse,func.func(mark,fail))' --mlir-generate-reproducer=%t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: not passel-opt %s --cse --mlir-generate-reproducer=%t.absent/x.mlir 2>&1 | FileCheck %s --check-prefix=UNWRITABLE

// CHECK: func.func @f() attributes {seen = 1 : i32}
// CHECK: pipeline: "any(cse,func.func(mark,fail{on=bad}))",
// CHECK-NEXT: disable_threading: false,
// CHECK-NEXT: verify_each: false
// UNWRITABLE: passel-opt: error: cannot open output file '{{.*}}.absent/x.mlir': No such file or directory
func.func @f() { return }
