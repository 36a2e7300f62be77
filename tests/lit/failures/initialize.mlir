// A pass that cannot be initialized has seen no op, so none is printed.
// RUN: not passel-opt %s -p 'builtin.module(composite-fixed-point-pass{max-iterations=0})' > %t.out 2> %t
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s --implicit-check-not='see current operation' < %t

// CHECK: error: 'builtin.module' op pass 'composite-fixed-point-pass{max-iterations=0}' failed: Invalid maxIterations value: 0
// CHECK: passel-opt: note: to replay: passel-opt
func.func private @a()
