// Where a module holds more than functions, its states between passes on these are not in the record:
// the pass is found if it is the only one that has changed anything there, or those are named that it may be.

// RUN: passel-opt %s --load-pass-plugin=%inputs/wrong_fold.py -p "builtin.module(func.func(wrong-fold))" --record=%t.passel -o /dev/null
// RUN: passel-bisect %t.passel --interesting="grep -q 'value = 8'" 2>/dev/null | filecheck %s
// CHECK: wrong-fold on func.func @g

// RUN: passel-opt %s --load-pass-plugin=%inputs/wrong_fold.py -p "builtin.module(func.func(cse,wrong-fold))" --record=%t.passel -o /dev/null
// RUN: not passel-bisect %t.passel --interesting="grep -q 'value = 8'" 2>&1 | filecheck %s --check-prefix=ONE-OF
// ONE-OF: the record lacks the IR between the passes that may be to blame: cse on func.func @g, wrong-fold on func.func @g

%top = arith.constant 1 : i32
func.func @g(%x: i32) -> i32 {
  %c = arith.constant 7 : i32
  %d = arith.constant 7 : i32
  %0 = arith.addi %c, %d : i32
  return %0 : i32
}
