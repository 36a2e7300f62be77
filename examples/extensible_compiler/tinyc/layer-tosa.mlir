module {
  func.func @layer(%x: tensor<1x2x3xf32>, %w: tensor<1x3x2xf32>, %b: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %product = tosa.matmul %x, %w, %z, %z : (tensor<1x2x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>
    %sum = tosa.add %product, %b : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %relu = tosa.clamp %sum {min_val = 0.0 : f32, max_val = 3.4028235e+38 : f32} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    return %relu : tensor<1x2x2xf32>
  }
  func.func @main() {
    %x = arith.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
    %w = arith.constant dense<[[[1.0, -1.0], [0.5, 2.0], [1.0, -3.0]]]> : tensor<1x3x2xf32>
    %b = arith.constant dense<[[[1.0, 1.0], [-5.0, 13.0]]]> : tensor<1x2x2xf32>
    %y = call @layer(%x, %w, %b) : (tensor<1x2x3xf32>, tensor<1x3x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %u = tensor.cast %y : tensor<1x2x2xf32> to tensor<*xf32>
    call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
    return
  }
  func.func private @printMemrefF32(tensor<*xf32>) attributes { llvm.emit_c_interface }
}
