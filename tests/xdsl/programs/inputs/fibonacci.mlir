// The same numbers by recursion and by a loop over two slots of memory.
func.func private @slow(%n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %small = arith.cmpi sle, %n, %one : i32
  cf.cond_br %small, ^done(%n : i32), ^more
^more:
  %n1 = arith.subi %n, %one : i32
  %n2 = arith.subi %n, %two : i32
  %f1 = call @slow(%n1) : (i32) -> i32
  %f2 = call @slow(%n2) : (i32) -> i32
  %sum = arith.addi %f1, %f2 : i32
  cf.br ^done(%sum : i32)
^done(%r: i32):
  return %r : i32
}
func.func private @fast(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = memref.alloca() : memref<i32>
  %next = memref.alloca() : memref<i32>
  memref.store %zero, %last[] : memref<i32>
  memref.store %one, %next[] : memref<i32>
  cf.br ^check(%zero : i32)
^check(%i: i32):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^end
^body:
  %a = memref.load %last[] : memref<i32>
  %b = memref.load %next[] : memref<i32>
  %c = arith.addi %a, %b : i32
  memref.store %b, %last[] : memref<i32>
  memref.store %c, %next[] : memref<i32>
  %j = arith.addi %i, %one : i32
  cf.br ^check(%j : i32)
^end:
  %r = memref.load %last[] : memref<i32>
  return %r : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %k = arith.constant 1000 : i32
  %x = call @slow(%a) : (i32) -> i32
  %y = call @fast(%a) : (i32) -> i32
  %z = call @fast(%b) : (i32) -> i32
  %same = arith.subi %x, %y : i32
  %scaled = arith.muli %same, %k : i32
  %r = arith.addi %scaled, %z : i32
  return %r : i32
}
