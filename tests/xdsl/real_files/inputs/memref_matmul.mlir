// A matrix product over buffers, its accumulator in a local allocation.
func.func @matmul(%a: memref<24x16xf64>, %b: memref<16x32xf64>, %c: memref<24x32xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c24 step %c1 {
    %zero = arith.constant 0 : index
    scf.for %j = %zero to %c32 step %c1 {
      %cell = memref.alloca() : memref<1xf64>
      %f0 = arith.constant 0.0 : f64
      memref.store %f0, %cell[%zero] : memref<1xf64>
      scf.for %k = %c0 to %c16 step %c1 {
        %i_same = arith.addi %i, %zero : index
        %x = memref.load %a[%i_same, %k] : memref<24x16xf64>
        %y = memref.load %b[%k, %j] : memref<16x32xf64>
        %p = arith.mulf %x, %y : f64
        %p_again = arith.mulf %x, %y : f64
        %old = memref.load %cell[%zero] : memref<1xf64>
        %new = arith.addf %old, %p_again : f64
        memref.store %new, %cell[%c0] : memref<1xf64>
      }
      %r = memref.load %cell[%zero] : memref<1xf64>
      memref.store %r, %c[%i, %j] : memref<24x32xf64>
    }
  }
  return
}

func.func @transpose(%a: memref<8x8xi16>, %t: memref<8x8xi16>) {
  %lb = arith.constant 0 : index
  %ub = arith.constant 8 : index
  %st = arith.constant 1 : index
  scf.for %i = %lb to %ub step %st {
    %lb1 = arith.constant 0 : index
    %ub1 = arith.constant 8 : index
    scf.for %j = %lb1 to %ub1 step %st {
      %v = memref.load %a[%i, %j] : memref<8x8xi16>
      memref.store %v, %t[%j, %i] : memref<8x8xi16>
    }
  }
  return
}
