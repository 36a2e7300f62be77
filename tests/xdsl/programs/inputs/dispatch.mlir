// A switch over several functions, with constants that only meet after inlining.
func.func private @scale(%x: i32, %k: i32) -> i32 {
  %one = arith.constant 1 : i32
  %same = arith.cmpi eq, %k, %one : i32
  cf.cond_br %same, ^keep, ^multiply
^keep:
  return %x : i32
^multiply:
  %y = arith.muli %x, %k : i32
  return %y : i32
}
func.func private @apply(%mode: i32, %x: i32) -> i32 {
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %slot = memref.alloca() : memref<i32>
  memref.store %x, %slot[] : memref<i32>
  cf.switch %mode : i32, [
    default: ^other,
    0: ^first,
    1: ^second(%five : i32)
  ]
^first:
  %f = call @scale(%x, %one) : (i32, i32) -> i32
  memref.store %f, %slot[] : memref<i32>
  cf.br ^end
^second(%k: i32):
  %s = call @scale(%x, %k) : (i32, i32) -> i32
  memref.store %s, %slot[] : memref<i32>
  cf.br ^end
^other:
  %n = arith.subi %x, %mode : i32
  memref.store %n, %slot[] : memref<i32>
  cf.br ^end
^end:
  %r = memref.load %slot[] : memref<i32>
  return %r : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %mode = arith.remui %a, %three : i32
  %x = call @apply(%mode, %b) : (i32, i32) -> i32
  %y = call @apply(%zero, %x) : (i32, i32) -> i32
  %z = call @apply(%three, %y) : (i32, i32) -> i32
  return %z : i32
}
