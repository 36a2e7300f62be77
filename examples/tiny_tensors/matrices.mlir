func.func @twice(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tt.transpose %a : tensor<2x3xf32> -> tensor<3x2xf32>
  %1 = tt.transpose %0 : tensor<3x2xf32> -> tensor<2x3xf32>
  %2 = tt.add %1, %a : tensor<2x3xf32>
  %3 = tt.add %a, %a : tensor<2x3xf32>
  %4 = tt.add %2, %3 : tensor<2x3xf32>
  func.return %4 : tensor<2x3xf32>
}

func.func @flip(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = tt.transpose %a : tensor<2x3xf32> -> tensor<3x2xf32>
  func.return %0 : tensor<3x2xf32>
}
