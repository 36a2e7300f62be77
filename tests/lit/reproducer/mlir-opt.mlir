// mlir-opt replays the file too, if it has the passes and reads the IR.
// REQUIRES: mlir-opt
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'any(cse,func.func(break))' --mlir-pass-pipeline-crash-reproducer=%t.mlir --verify-each 2>/dev/null
// RUN: sed 's/func.func(break)/cse/' %t.mlir > %t.cse.mlir
// RUN: mlir-opt --run-reproducer %t.cse.mlir --dump-pass-pipeline 2>&1 | FileCheck %s

// CHECK: Pass Manager with 2 passes:
// CHECK-NEXT: builtin.module(
// CHECK-NEXT:   cse,
// CHECK-NEXT:   cse
// CHECK: func.func @f()
func.func @f() { return }
