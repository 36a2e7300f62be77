// Failures that are equal but for the op are told once in full; the title of the pass stands in one line.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(func.func(crash))' 2>&1 >%t | FileCheck %s --strict-whitespace

// CHECK: alike.mlir:{{[0-9]+}}:1: error: 'func.func' op pass 'crash' crashed: {{.*}}
// CHECK: note: the pass crashed here
// CHECK: note: on 'func.func' @a [builtin.module/func.func/0:crash]
// CHECK-NOT: error:
// CHECK-NOT: crashed here
// CHECK: alike.mlir:{{[0-9]+}}:1: note: and 2 more like it: @b, @c
// CHECK-NEXT: passel-opt: note: to print the traceback, add --mlir-print-stacktrace-on-diagnostic
// CHECK-NEXT: passel-opt: note: to replay: passel-opt {{.*}}alike.mlir
func.func @a() { return }
func.func @b() { return }
func.func @c() { return }
