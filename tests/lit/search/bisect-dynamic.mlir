// A pass that another one has run on its own op is found, looked into and replayed.

// RUN: passel-opt %s --load-pass-plugin=%inputs/wrong_fold.py --load-pass-plugin=%inputs/runs_pipeline.py -p "builtin.module(runs-pipeline{pipeline=builtin.module(func.func(cse,wrong-fold))})" --record=%t.passel -o /dev/null
// RUN: passel-bisect %t.passel --computes-else --inside -o %t.mlir 2>/dev/null | FileCheck %s
// RUN: passel-opt --run-reproducer --load-pass-plugin=%inputs/wrong_fold.py %t.mlir | FileCheck %s --check-prefix=REPLAYED

// CHECK: wrong-fold on func.func @g  [builtin.module/0:runs-pipeline/builtin.module/func.func/1:wrong-fold]
// CHECK-NEXT: rewrite 1 of 1: Larger on arith.constant
// REPLAYED: arith.constant 8

// The module around the file's ops has no line.
// RUN: passel-report %t.passel --step=runs-pipeline | FileCheck %s --check-prefix=MODULE
// MODULE: // builtin.module/0:runs-pipeline on builtin.module: changed,

func.func @g(%x: i32) -> i32 {
  %c = arith.constant 7 : i32
  %0 = arith.addi %x, %c : i32
  return %0 : i32
}
