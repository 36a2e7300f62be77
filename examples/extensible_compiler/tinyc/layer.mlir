// relu(x * w + b), and a main that prints it.
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @layer(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<2x2xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
    %product = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x2xf32>) outs(%init : tensor<2x2xf32>) -> tensor<2x2xf32>
    %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%product, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%empty : tensor<2x2xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %0 = arith.addf %p, %q : f32
      linalg.yield %0 : f32
    } -> tensor<2x2xf32>
    %relu = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%sum : tensor<2x2xf32>) outs(%empty : tensor<2x2xf32>) {
    ^bb0(%p: f32, %o: f32):
      %0 = arith.maximumf %p, %zero : f32
      linalg.yield %0 : f32
    } -> tensor<2x2xf32>
    return %relu : tensor<2x2xf32>
  }

  func.func @main() {
    %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %w = arith.constant dense<[[1.0, -1.0], [0.5, 2.0], [1.0, -3.0]]> : tensor<3x2xf32>
    %b = arith.constant dense<[[1.0, 1.0], [-5.0, 13.0]]> : tensor<2x2xf32>
    %y = call @layer(%x, %w, %b) : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %u = tensor.cast %y : tensor<2x2xf32> to tensor<*xf32>
    call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
    return
  }

  func.func private @printMemrefF32(tensor<*xf32>) attributes { llvm.emit_c_interface }
}
