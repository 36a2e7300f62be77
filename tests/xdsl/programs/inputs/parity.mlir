// Mutual recursion, entered from outside at both functions.
func.func private @even(%n: i32) -> i1 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %yes = arith.constant true
  %done = arith.cmpi sle, %n, %zero : i32
  cf.cond_br %done, ^end(%yes : i1), ^more
^more:
  %m = arith.subi %n, %one : i32
  %r = call @odd(%m) : (i32) -> i1
  cf.br ^end(%r : i1)
^end(%result: i1):
  return %result : i1
}
func.func private @odd(%n: i32) -> i1 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %no = arith.constant false
  %done = arith.cmpi sle, %n, %zero : i32
  cf.cond_br %done, ^end(%no : i1), ^more
^more:
  %m = arith.subi %n, %one : i32
  %r = call @even(%m) : (i32) -> i1
  cf.br ^end(%r : i1)
^end(%result: i1):
  return %result : i1
}
func.func private @choose(%c: i1, %x: i32, %y: i32) -> i32 {
  %r = arith.select %c, %x, %y : i32
  return %r : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %ten = arith.constant 10 : i32
  %e = call @even(%a) : (i32) -> i1
  %o = call @odd(%b) : (i32) -> i1
  %x = call @choose(%e, %ten, %a) : (i1, i32, i32) -> i32
  %y = call @choose(%o, %b, %ten) : (i1, i32, i32) -> i32
  %r = arith.muli %x, %y : i32
  return %r : i32
}
