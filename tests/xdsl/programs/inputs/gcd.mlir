// Euclid's algorithm as a while loop, with helpers of several blocks.
func.func private @magnitude(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  cf.cond_br %negative, ^flip, ^keep
^flip:
  %y = arith.subi %zero, %x : i32
  return %y : i32
^keep:
  return %x : i32
}
func.func private @gcd(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %x = call @magnitude(%a) : (i32) -> i32
  %y = call @magnitude(%b) : (i32) -> i32
  %g, %rest = scf.while (%p = %x, %q = %y) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ne, %q, %zero : i32
    scf.condition(%go) %p, %q : i32, i32
  } do {
  ^bb0(%p: i32, %q: i32):
    %r = arith.remsi %p, %q : i32
    scf.yield %q, %r : i32, i32
  }
  return %g : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %six = arith.constant -6 : i32
  %x = arith.muli %a, %six : i32
  %y = arith.muli %b, %six : i32
  %g = call @gcd(%x, %y) : (i32, i32) -> i32
  %h = call @gcd(%g, %b) : (i32, i32) -> i32
  %r = arith.addi %g, %h : i32
  return %r : i32
}
