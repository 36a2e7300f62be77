// A function that a pass makes endless computes something else.

// RUN: passel-opt %s --load-pass-plugin=%inputs/endless.py -p "builtin.module(func.func(dce,endless,licm))" --record=%t.passel -o /dev/null
// RUN: passel-bisect %t.passel --computes-else --timeout=0.2 2>/dev/null | FileCheck %s
// CHECK: endless on func.func @ends  [builtin.module/func.func/1:endless]

func.func @ends(%x: i32) -> i32 {
  %c = arith.constant 1 : i32
  cf.br ^end
^end:
  return %x : i32
}
func.func @fine(%x: i32) -> i32 {
  return %x : i32
}
