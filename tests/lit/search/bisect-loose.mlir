// Where a module holds more than functions, its states between passes on these are not known. The pass is found
// if it is the only one that changed anything; otherwise, the candidates are named.

// RUN: passel-opt %s --load-pass-plugin=%inputs/wrong_fold.py -p "builtin.module(func.func(wrong-fold))" --record=%t.passel -o /dev/null
// RUN: passel-bisect %t.passel --interesting="grep -q 'value = 8'" 2>/dev/null | FileCheck %s
// RUN: passel-opt %s --load-pass-plugin=%inputs/wrong_fold.py -p "builtin.module(func.func(cse,wrong-fold))" --record=%t.passel -o /dev/null
// RUN: not passel-bisect %t.passel --interesting="grep -q 'value = 8'" 2>&1 | FileCheck %s --check-prefix=ONE-OF
// CHECK: wrong-fold on func.func @g
// ONE-OF: one of these passes is the cause, but the record lacks the IR between them: cse on func.func @g, wrong-fold on func.func @g

%0 = arith.constant 1 : i32
func.func @g(%x: i32) -> i32 {
  %1 = arith.constant 7 : i32
  %d = arith.constant 7 : i32
  %sum = arith.addi %1, %d : i32
  return %sum : i32
}
