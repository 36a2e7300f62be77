// A product of small matrices, its inner product a function, summed up at the end.
func.func private @dot(%x: memref<4x4xi32>, %y: memref<4x4xi32>, %i: index, %j: index) -> i32 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %k = %i0 to %n step %i1 iter_args(%s = %zero) -> (i32) {
    %a = memref.load %x[%i, %k] : memref<4x4xi32>
    %b = memref.load %y[%k, %j] : memref<4x4xi32>
    %p = arith.muli %a, %b : i32
    %t = arith.addi %s, %p : i32
    scf.yield %t : i32
  }
  return %sum : i32
}
func.func private @element(%i: index, %j: index, %k: i32) -> i32 {
  %x = arith.index_cast %i : index to i32
  %y = arith.index_cast %j : index to i32
  %p = arith.muli %x, %k : i32
  %r = arith.subi %p, %y : i32
  return %r : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %x = memref.alloca() : memref<4x4xi32>
  %y = memref.alloca() : memref<4x4xi32>
  scf.for %i = %i0 to %n step %i1 {
    scf.for %j = %i0 to %n step %i1 {
      %p = func.call @element(%i, %j, %a) : (index, index, i32) -> i32
      %q = func.call @element(%j, %i, %b) : (index, index, i32) -> i32
      memref.store %p, %x[%i, %j] : memref<4x4xi32>
      memref.store %q, %y[%i, %j] : memref<4x4xi32>
    }
  }
  %total = memref.alloca() : memref<1xi32>
  memref.store %zero, %total[%i0] : memref<1xi32>
  scf.for %i = %i0 to %n step %i1 {
    scf.for %j = %i0 to %n step %i1 {
      %d = func.call @dot(%x, %y, %i, %j) : (memref<4x4xi32>, memref<4x4xi32>, index, index) -> i32
      %t = memref.load %total[%i0] : memref<1xi32>
      %u = arith.addi %t, %d : i32
      memref.store %u, %total[%i0] : memref<1xi32>
    }
  }
  %r = memref.load %total[%i0] : memref<1xi32>
  return %r : i32
}
