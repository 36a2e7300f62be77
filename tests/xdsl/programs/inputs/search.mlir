// Binary search in an array of squares, with an early exit.
func.func private @middle(%low: i32, %high: i32) -> i32 {
  %two = arith.constant 2 : i32
  %sum = arith.addi %low, %high : i32
  %m = arith.divui %sum, %two : i32
  return %m : i32
}
func.func private @at(%xs: memref<32xi32>, %i: i32) -> i32 {
  %k = arith.index_cast %i : i32 to index
  %x = memref.load %xs[%k] : memref<32xi32>
  return %x : i32
}
func.func private @find(%xs: memref<32xi32>, %x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = arith.constant 32 : i32
  %missing = arith.constant -1 : i32
  %low = memref.alloca() : memref<i32>
  %high = memref.alloca() : memref<i32>
  memref.store %zero, %low[] : memref<i32>
  memref.store %n, %high[] : memref<i32>
  cf.br ^check
^check:
  %l = memref.load %low[] : memref<i32>
  %h = memref.load %high[] : memref<i32>
  %go = arith.cmpi slt, %l, %h : i32
  cf.cond_br %go, ^look, ^none
^look:
  %m = call @middle(%l, %h) : (i32, i32) -> i32
  %y = call @at(%xs, %m) : (memref<32xi32>, i32) -> i32
  %hit = arith.cmpi eq, %x, %y : i32
  cf.cond_br %hit, ^found, ^move
^found:
  return %m : i32
^move:
  %right = arith.cmpi slt, %y, %x : i32
  cf.cond_br %right, ^up, ^down
^up:
  %m1 = arith.addi %m, %one : i32
  memref.store %m1, %low[] : memref<i32>
  cf.br ^check
^down:
  memref.store %m, %high[] : memref<i32>
  cf.br ^check
^none:
  return %missing : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = arith.constant 32 : index
  %hundred = arith.constant 100 : i32
  %xs = memref.alloca() : memref<32xi32>
  scf.for %i = %i0 to %n step %i1 {
    %k = arith.index_cast %i : index to i32
    %sq = arith.muli %k, %k : i32
    memref.store %sq, %xs[%i] : memref<32xi32>
  }
  %sq = arith.muli %a, %a : i32
  %x = call @find(%xs, %sq) : (memref<32xi32>, i32) -> i32
  %y = call @find(%xs, %b) : (memref<32xi32>, i32) -> i32
  %s = arith.muli %x, %hundred : i32
  %r = arith.addi %s, %y : i32
  return %r : i32
}
