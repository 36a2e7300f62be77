// Functions that cannot be run, or do not end, are left out, and which these are is said.

// RUN: passel-opt %s --load-pass-plugin=%inputs/wrong_fold.py -p "builtin.module(func.func(wrong-fold,dce))" --record=%t.passel -o /dev/null
// RUN: not passel-bisect %t.passel --computes-else --timeout=0.2 2>&1 | FileCheck %s
// CHECK: BISECT: functions that cannot run: 2 of 3: @calls ({{.*}} named ext), @endless (takes longer than 0.2 s)
// CHECK: error: the IR after the last pass is not interesting: the functions compute the same results, but some cannot run

// RUN: not passel-bisect %t.passel --computes-else=@endless --timeout=0.2 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: error: no function of the IR can run: @endless (takes longer than 0.2 s); try --interesting=<command>
// RUN: not passel-bisect %t.passel "--computes-else=@two(1 : i32)" 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: error: no function of the IR can run: @two (takes 2 arguments, not 1)

func.func private @ext(i32) -> i32
func.func @calls(%x: i32) -> i32 {
  %c = arith.constant 7 : i32
  %0 = func.call @ext(%c) : (i32) -> i32
  return %0 : i32
}
func.func @endless() {
  cf.br ^loop
^loop:
  cf.br ^loop
}
func.func @two(%x: i32, %y: i32) -> i32 {
  return %x : i32
}
