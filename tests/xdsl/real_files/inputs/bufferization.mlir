// Between tensors and buffers.
func.func @update(%t: tensor<16xf32>, %i: index, %v: f32) -> tensor<16xf32> {
  %m = bufferization.to_buffer %t : tensor<16xf32> to memref<16xf32>
  %zero = arith.constant 0.0 : f32
  %copy = memref.alloc() : memref<16xf32>
  "memref.copy"(%m, %copy) : (memref<16xf32>, memref<16xf32>) -> ()
  memref.store %v, %copy[%i] : memref<16xf32>
  %unused = arith.addf %v, %zero : f32
  %r = bufferization.to_tensor %copy restrict : memref<16xf32> to tensor<16xf32>
  return %r : tensor<16xf32>
}

func.func @fresh(%n: index) -> tensor<?xf32> {
  %a = bufferization.alloc_tensor(%n) : tensor<?xf32>
  return %a : tensor<?xf32>
}

func.func @fill(%v: i32) -> tensor<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c8_again = arith.constant 8 : index
  %m = memref.alloc() : memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    %one = arith.constant 1 : i32
    %w = arith.muli %v, %one : i32
    memref.store %w, %m[%i] : memref<8xi32>
  }
  %t = bufferization.to_tensor %m restrict writable : memref<8xi32> to tensor<8xi32>
  return %t : tensor<8xi32>
}
