// Affine loops, conditions and index expressions.
func.func @stencil(%in: memref<100xf32>, %out: memref<100xf32>) {
  affine.for %i = 1 to 99 {
    %left = affine.apply affine_map<(d0) -> (d0 - 1)>(%i)
    %left_again = affine.apply affine_map<(d0) -> (d0 - 1)>(%i)
    %right = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %a = memref.load %in[%left] : memref<100xf32>
    %b = memref.load %in[%right] : memref<100xf32>
    %c = memref.load %in[%left_again] : memref<100xf32>
    %third = arith.constant 0.333 : f32
    %third_again = arith.constant 0.333 : f32
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %c : f32
    %u = arith.mulf %t, %third_again : f32
    memref.store %u, %out[%i] : memref<100xf32>
  }
  return
}

func.func @init(%m: memref<10x20xi32>, %v: i32) {
  %zero = arith.constant 0 : i32
  %w = arith.addi %v, %zero : i32
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 20 step 2 {
      %k = arith.addi %v, %zero : i32
      memref.store %w, %m[%i, %j] : memref<10x20xi32>
    }
  }
  return
}

func.func @total(%m: memref<50xf64>) -> f64 {
  %init = arith.constant 0.0 : f64
  %unused = arith.constant 1.0 : f64
  %r = affine.for %i = 0 to 50 iter_args(%acc = %init) -> (f64) {
    %x = memref.load %m[%i] : memref<50xf64>
    %next = arith.addf %acc, %x : f64
    %next_again = arith.addf %acc, %x : f64
    affine.yield %next_again : f64
  }
  return %r : f64
}
