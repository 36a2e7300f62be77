// Parallel loops with and without a reduction.
func.func @scale(%buffer: memref<32x32xf64>, %factor: f64) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  "scf.parallel"(%c0, %zero, %c32, %c32, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %v = memref.load %buffer[%i, %j] : memref<32x32xf64>
    %one = arith.constant 1.0 : f64
    %ones = arith.mulf %factor, %one : f64
    %w = arith.mulf %v, %ones : f64
    memref.store %w, %buffer[%i, %j] : memref<32x32xf64>
    "scf.reduce"() : () -> ()
  }) : (index, index, index, index, index, index) -> ()
  return
}

func.func @sum(%buffer: memref<1024xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %init = arith.constant 0.0 : f32
  %init_again = arith.constant 0.0 : f32
  %r = "scf.parallel"(%c0, %c1024, %c1, %init) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
  ^bb0(%i: index):
    %v = memref.load %buffer[%i] : memref<1024xf32>
    %v_again = memref.load %buffer[%i] : memref<1024xf32>
    "scf.reduce"(%v) ({
    ^bb0(%lhs: f32, %rhs: f32):
      %s = arith.addf %lhs, %rhs : f32
      "scf.reduce.return"(%s) : (f32) -> ()
    }) : (f32) -> ()
  }) : (index, index, index, f32) -> f32
  %t = arith.addf %r, %init_again : f32
  return %t : f32
}

func.func @maximum(%buffer: memref<256xi32>, %start: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %r = "scf.parallel"(%c0, %c256, %c1, %start) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
  ^bb0(%i: index):
    %v = memref.load %buffer[%i] : memref<256xi32>
    "scf.reduce"(%v) ({
    ^bb0(%lhs: i32, %rhs: i32):
      %gt = arith.cmpi sgt, %lhs, %rhs : i32
      %gt_again = arith.cmpi sgt, %lhs, %rhs : i32
      %m = arith.select %gt_again, %lhs, %rhs : i32
      "scf.reduce.return"(%m) : (i32) -> ()
    }) : (i32) -> ()
  }) : (index, index, index, i32) -> i32
  return %r : i32
}
