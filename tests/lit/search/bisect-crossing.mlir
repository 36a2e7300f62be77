// Of a pass that runs others on another IR, it is said how to look into these.

// REQUIRES: mlir-opt
// RUN: passel-opt %s --ir=mlir --load-pass-plugin=%inputs/wrong_fold.py -p "builtin.module(xdsl(func.func(cse,wrong-fold)))" --record=%t.passel -o /dev/null
// RUN: passel-bisect %t.passel --interesting="grep -q 'value = 8'" 2>&1 | FileCheck %s
// RUN: passel-bisect %t.passel --run=1 --computes-else --inside -o %t.mlir 2>&1 | FileCheck %s --check-prefix=INSIDE

// CHECK-DAG: 'xdsl' ran passes on 'xdsl': to search them, add --run=1
// CHECK-DAG: xdsl(func.func(cse,wrong-fold)) on builtin.module
// INSIDE-DAG: wrong-fold on func.func @g
// INSIDE-DAG: rewrite 1 of 1: Larger on arith.constant
// INSIDE-DAG: to replay: passel-opt --run-reproducer --load-pass-plugin={{.*}}wrong_fold.py {{.*}}.mlir

// Passes that MLIR ran as one are none that ran others.
// RUN: passel-opt %s --ir=mlir -p "builtin.module(func.func(canonicalize,cse))" --record=%t.one -o /dev/null
// RUN: passel-bisect %t.one --interesting="awk '/dead/ {exit 1}'" -o %t.one.mlir 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: passel-opt --ir=mlir --run-reproducer %t.one.mlir | FileCheck %s --check-prefix=REPLAY
// ONE-NOT:    ran passes on
// ONE:        to replay
// REPLAY:     func.func @g
// REPLAY-NOT: dead

func.func @g(%x: i32) -> i32 {
  %c = arith.constant 7 : i32
  %0 = arith.addi %x, %c : i32
  %dead = arith.constant {dead} 9 : i32
  return %0 : i32
}
