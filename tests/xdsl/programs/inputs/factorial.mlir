// Direct recursion, and a private helper that is called once.
func.func private @is_small(%n: i32) -> i1 {
  %two = arith.constant 2 : i32
  %small = arith.cmpi slt, %n, %two : i32
  return %small : i1
}
func.func private @factorial(%n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %small = call @is_small(%n) : (i32) -> i1
  %result = scf.if %small -> (i32) {
    scf.yield %one : i32
  } else {
    %less = arith.subi %n, %one : i32
    %rest = func.call @factorial(%less) : (i32) -> i32
    %product = arith.muli %n, %rest : i32
    scf.yield %product : i32
  }
  return %result : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %x = call @factorial(%a) : (i32) -> i32
  %y = call @factorial(%b) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
