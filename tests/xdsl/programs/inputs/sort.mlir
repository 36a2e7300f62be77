// Bubble sort of scrambled numbers, then a checksum; helpers without results.
func.func private @fill(%xs: memref<16xi32>, %seed: i32) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = arith.constant 16 : index
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %mask = arith.constant 255 : i32
  %last = scf.for %i = %i0 to %n step %i1 iter_args(%s = %seed) -> (i32) {
    %t = arith.muli %s, %k : i32
    %u = arith.addi %t, %c : i32
    %v = arith.andi %u, %mask : i32
    memref.store %v, %xs[%i] : memref<16xi32>
    scf.yield %u : i32
  }
  return
}
func.func private @order(%xs: memref<16xi32>, %i: index, %j: index) {
  %a = memref.load %xs[%i] : memref<16xi32>
  %b = memref.load %xs[%j] : memref<16xi32>
  %low = arith.minsi %a, %b : i32
  %high = arith.maxsi %a, %b : i32
  memref.store %low, %xs[%i] : memref<16xi32>
  memref.store %high, %xs[%j] : memref<16xi32>
  return
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = arith.constant 16 : index
  %m = arith.constant 15 : index
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %seed = arith.addi %a, %b : i32
  %xs = memref.alloca() : memref<16xi32>
  call @fill(%xs, %seed) : (memref<16xi32>, i32) -> ()
  scf.for %i = %i0 to %n step %i1 {
    scf.for %j = %i0 to %m step %i1 {
      %next = arith.addi %j, %i1 : index
      func.call @order(%xs, %j, %next) : (memref<16xi32>, index, index) -> ()
    }
  }
  %sum = scf.for %i = %i0 to %n step %i1 iter_args(%s = %zero) -> (i32) {
    %x = memref.load %xs[%i] : memref<16xi32>
    %t = arith.muli %s, %three : i32
    %u = arith.addi %t, %x : i32
    scf.yield %u : i32
  }
  return %sum : i32
}
