// Recursion in an argument of a recursive call, in blocks.
func.func private @clamp(%x: i32, %limit: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %low = arith.maxsi %x, %zero : i32
  %high = arith.minsi %low, %limit : i32
  return %high : i32
}
func.func private @ackermann(%m: i32, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m0 = arith.cmpi eq, %m, %zero : i32
  cf.cond_br %m0, ^base, ^check
^base:
  %r = arith.addi %n, %one : i32
  return %r : i32
^check:
  %m1 = arith.subi %m, %one : i32
  %n0 = arith.cmpi eq, %n, %zero : i32
  cf.cond_br %n0, ^start, ^inner
^start:
  %s = call @ackermann(%m1, %one) : (i32, i32) -> i32
  return %s : i32
^inner:
  %n1 = arith.subi %n, %one : i32
  %t = call @ackermann(%m, %n1) : (i32, i32) -> i32
  %u = call @ackermann(%m1, %t) : (i32, i32) -> i32
  return %u : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %m = call @clamp(%a, %two) : (i32, i32) -> i32
  %n = call @clamp(%b, %four) : (i32, i32) -> i32
  %r = call @ackermann(%m, %n) : (i32, i32) -> i32
  return %r : i32
}
