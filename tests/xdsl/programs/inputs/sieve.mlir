// Counts primes below a hundred and something: an array, nested loops, a slot in a loop.
func.func private @mark(%flags: memref<128xi32>, %p: index, %n: index) {
  %zero = arith.constant 0 : i32
  %first = arith.addi %p, %p : index
  scf.for %i = %first to %n step %p {
    memref.store %zero, %flags[%i] : memref<128xi32>
  }
  return
}
func.func private @sieve(%n: index) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %flags = memref.alloca() : memref<128xi32>
  scf.for %i = %i0 to %n step %i1 {
    memref.store %one, %flags[%i] : memref<128xi32>
  }
  %count = scf.for %i = %i2 to %n step %i1 iter_args(%c = %zero) -> (i32) {
    %slot = memref.alloca() : memref<i32>
    %flag = memref.load %flags[%i] : memref<128xi32>
    memref.store %flag, %slot[] : memref<i32>
    %prime = arith.cmpi eq, %flag, %one : i32
    scf.if %prime {
      func.call @mark(%flags, %i, %n) : (memref<128xi32>, index, index) -> ()
    }
    %f = memref.load %slot[] : memref<i32>
    %d = arith.addi %c, %f : i32
    scf.yield %d : i32
  }
  return %count : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %c = arith.constant 100 : i32
  %s = arith.addi %a, %c : i32
  %n = arith.index_cast %s : i32 to index
  %x = call @sieve(%n) : (index) -> i32
  %r = arith.addi %x, %b : i32
  return %r : i32
}
