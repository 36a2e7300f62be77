// Named linear algebra on tensors, the shapes repeated.
func.func private @old_activation(%x: f32) -> f32 {
  return %x : f32
}

func.func @layer(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %bias: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %zero_again = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %e_again = tensor.empty() : tensor<8x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %unused = linalg.fill ins(%zero_again : f32) outs(%e_again : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.add ins(%p, %bias : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e_again : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %s : tensor<8x4xf32>
}

func.func @two_layers(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %bias: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %a = func.call @layer(%x, %w, %bias) : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %b = func.call @layer(%x, %w, %bias) : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %c = linalg.mul ins(%a, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

func.func @in_place(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %nil = arith.constant 0.0 : f32
  linalg.fill ins(%nil : f32) outs(%c : memref<4x4xf32>)
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  linalg.sub ins(%c, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

func.func @turn(%a: tensor<3x5xi32>) -> tensor<5x3xi32> {
  %e = tensor.empty() : tensor<5x3xi32>
  %t = linalg.transpose ins(%a : tensor<3x5xi32>) outs(%e : tensor<5x3xi32>) permutation = [1, 0]
  %t_again = linalg.transpose ins(%a : tensor<3x5xi32>) outs(%e : tensor<5x3xi32>) permutation = [1, 0]
  return %t_again : tensor<5x3xi32>
}
