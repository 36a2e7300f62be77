// Generic structured ops with index maps and payloads that hold redundant arithmetic.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @outer(%a: tensor<4xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %e_again = tensor.empty() : tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [#row, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<4xf32>, tensor<6xf32>) outs(%e_again : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %x, %y : f32
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

func.func @row_sums(%m: memref<8x8xf64>, %sums: memref<8xf64>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%m : memref<8x8xf64>) outs(%sums : memref<8xf64>) {
  ^bb0(%x: f64, %acc: f64):
    %one = arith.constant 1.0 : f64
    %y = arith.mulf %x, %one : f64
    %s = arith.addf %acc, %y : f64
    linalg.yield %s : f64
  }
  return
}

func.func @relu(%m: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %nil = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %x, %nil : f32
    %unused = arith.cmpf olt, %x, %zero : f32
    %y = arith.select %positive, %x, %zero : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

func.func @positions(%out: memref<8x8xindex>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%out : memref<8x8xindex>) {
  ^bb0(%old: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i_again = linalg.index 0 : index
    %s = arith.addi %i, %j : index
    %t = arith.addi %s, %i_again : index
    linalg.yield %t : index
  }
  return
}
