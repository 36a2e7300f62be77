// A crash is an error with the line of Python; the stack trace comes on demand.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --crash 2> %t > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --crash --mlir-print-stacktrace-on-diagnostic 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: not passel-opt %s --ir=mlir --load-pass-plugin=%inputs/passes.py -p 'builtin.module(xdsl(crash))' --mlir-print-stacktrace-on-diagnostic 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'any(func.func(composite-fixed-point-pass{pipeline=composite-fixed-point-pass{pipeline=crash}}))' -j2 --mlir-print-stacktrace-on-diagnostic 2>&1 | FileCheck %s --check-prefix=TRACE
// CHECK: crash.mlir:0:0: error: 'builtin.module' op pass 'crash' crashed: KeyError: 'absent'
// CHECK: passes.py:{{[0-9]+}}:9: note: the pass crashed here
// CHECK-NEXT: {{.*}}["absent"]
// CHECK-NOT: Traceback
// TRACE: Traceback
// TRACE: KeyError: 'absent'
func.func private @a()
func.func private @b()
