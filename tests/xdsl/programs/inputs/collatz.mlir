// A loop of blocks with branches inside, counting in memory.
func.func private @step(%n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %bit = arith.andi %n, %one : i32
  %odd = arith.cmpi eq, %bit, %one : i32
  cf.cond_br %odd, ^up, ^down
^up:
  %t = arith.muli %n, %three : i32
  %u = arith.addi %t, %one : i32
  return %u : i32
^down:
  %h = arith.divsi %n, %two : i32
  return %h : i32
}
func.func private @length(%start: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %count = memref.alloca() : memref<i32>
  %value = memref.alloca() : memref<i32>
  memref.store %zero, %count[] : memref<i32>
  memref.store %start, %value[] : memref<i32>
  cf.br ^check
^check:
  %n = memref.load %value[] : memref<i32>
  %go = arith.cmpi sgt, %n, %one : i32
  cf.cond_br %go, ^body, ^end
^body:
  %m = call @step(%n) : (i32) -> i32
  memref.store %m, %value[] : memref<i32>
  %c = memref.load %count[] : memref<i32>
  %d = arith.addi %c, %one : i32
  memref.store %d, %count[] : memref<i32>
  cf.br ^check
^end:
  %r = memref.load %count[] : memref<i32>
  return %r : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %x = call @length(%a) : (i32) -> i32
  %y = call @length(%b) : (i32) -> i32
  %r = arith.addi %x, %y : i32
  return %r : i32
}
