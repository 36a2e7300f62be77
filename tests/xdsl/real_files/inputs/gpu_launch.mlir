// Kernels written in place, where the host's code launches them.
func.func @iota(%out: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c1_again = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  "gpu.launch"(%c1, %c1_again, %c1, %c64, %c1, %c1_again) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> ({
  ^bb0(%bx: index, %by: index, %bz: index, %tx: index, %ty: index, %tz: index, %gx: index, %gy: index, %gz: index, %sx: index, %sy: index, %sz: index):
    %v = arith.index_cast %tx : index to i32
    %v_again = arith.index_cast %tx : index to i32
    %two = arith.constant 2 : i32
    %w = arith.muli %v, %two : i32
    %x = arith.addi %w, %v_again : i32
    memref.store %x, %out[%tx] : memref<64xi32>
    "gpu.terminator"() : () -> ()
  }) : (index, index, index, index, index, index) -> ()
  return
}

func.func @total(%in: memref<64xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %result = memref.alloc() : memref<1xf32>
  "gpu.launch"(%c1, %c1, %c1, %c64, %c1, %c1) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> ({
  ^bb0(%bx: index, %by: index, %bz: index, %tx: index, %ty: index, %tz: index, %gx: index, %gy: index, %gz: index, %sx: index, %sy: index, %sz: index):
    %x = memref.load %in[%tx] : memref<64xf32>
    %unused = arith.addf %x, %x : f32
    %sum = "gpu.all_reduce"(%x) <{op = #gpu<all_reduce_op add>}> ({
    }) : (f32) -> f32
    memref.store %sum, %result[%c0] : memref<1xf32>
    "gpu.terminator"() : () -> ()
  }) : (index, index, index, index, index, index) -> ()
  %zero = arith.constant 0 : index
  %r = memref.load %result[%zero] : memref<1xf32>
  memref.dealloc %result : memref<1xf32>
  return %r : f32
}
