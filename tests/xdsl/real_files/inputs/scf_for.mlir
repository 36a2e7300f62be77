// Reductions and stencils as counted loops, with constants repeated in every loop.
func.func @dot(%a: memref<128xf32>, %b: memref<128xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c128 step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %a[%i] : memref<128xf32>
    %y = memref.load %b[%i] : memref<128xf32>
    %p = arith.mulf %x, %y : f32
    %next = arith.addf %acc, %p : f32
    scf.yield %next : f32
  }
  return %sum : f32
}

func.func @blur(%in: memref<64x64xf32>, %out: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  scf.for %i = %c1 to %c63 step %c1 {
    %one = arith.constant 1 : index
    scf.for %j = %c1 to %c63 step %one {
      %w = arith.constant 0.25 : f32
      %w_again = arith.constant 0.25 : f32
      %north = arith.subi %i, %c1 : index
      %north_again = arith.subi %i, %one : index
      %south = arith.addi %i, %c1 : index
      %west = arith.subi %j, %one : index
      %east = arith.addi %j, %one : index
      %n = memref.load %in[%north, %j] : memref<64x64xf32>
      %s = memref.load %in[%south, %j] : memref<64x64xf32>
      %w0 = memref.load %in[%i, %west] : memref<64x64xf32>
      %e = memref.load %in[%i, %east] : memref<64x64xf32>
      %unused = memref.load %in[%north_again, %j] : memref<64x64xf32>
      %ns = arith.addf %n, %s : f32
      %we = arith.addf %w0, %e : f32
      %ns_scaled = arith.mulf %ns, %w : f32
      %we_scaled = arith.mulf %we, %w_again : f32
      %all = arith.addf %ns_scaled, %we_scaled : f32
      memref.store %all, %out[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

func.func @never_runs(%out: memref<4xindex>) {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c4 to %c0 step %c1 {
    memref.store %i, %out[%i] : memref<4xindex>
  }
  return
}

func.func private @never_called(%x: index) -> index {
  return %x : index
}
