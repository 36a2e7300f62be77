// Shapes, slices and casts of tensors.
func.func @window(%t: tensor<16x16xf32>) -> tensor<4x4xf32> {
  %a = tensor.extract_slice %t[4, 4] [4, 4] [1, 1] : tensor<16x16xf32> to tensor<4x4xf32>
  %b = tensor.extract_slice %t[4, 4] [4, 4] [1, 1] : tensor<16x16xf32> to tensor<4x4xf32>
  %unused = tensor.extract_slice %t[0, 0] [2, 2] [1, 1] : tensor<16x16xf32> to tensor<2x2xf32>
  return %b : tensor<4x4xf32>
}

func.func @paste(%big: tensor<16xi32>, %small: tensor<4xi32>) -> tensor<16xi32> {
  %r = tensor.insert_slice %small into %big[8] [4] [1] : tensor<4xi32> into tensor<16xi32>
  return %r : tensor<16xi32>
}

func.func @extent(%t: tensor<?x?xf64>) -> index {
  %c0 = arith.constant 0 : index
  %c0_again = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %t, %c0 : tensor<?x?xf64>
  %rows_again = tensor.dim %t, %c0_again : tensor<?x?xf64>
  %columns = tensor.dim %t, %c1 : tensor<?x?xf64>
  %n = arith.muli %rows_again, %columns : index
  %m = arith.muli %rows, %columns : index
  %s = arith.addi %n, %m : index
  return %s : index
}

func.func @element(%t: tensor<4x4xf32>, %i: index) -> f32 {
  %c1 = arith.constant 1 : index
  %uno = arith.constant 1 : index
  %x = tensor.extract %t[%i, %c1] : tensor<4x4xf32>
  %y = tensor.extract %t[%i, %uno] : tensor<4x4xf32>
  %s = arith.addf %x, %y : f32
  return %s : f32
}

func.func @flatten(%t: tensor<4x8xf32>) -> tensor<32xf32> {
  %f = tensor.collapse_shape %t [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %d = tensor.cast %f : tensor<32xf32> to tensor<?xf32>
  %s = tensor.cast %d : tensor<?xf32> to tensor<32xf32>
  return %s : tensor<32xf32>
}

func.func private @helper(%t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}
