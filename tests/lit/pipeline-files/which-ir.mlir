// A pass in a pipeline file that only MLIR has is reported as MLIR's.
// RUN: passel-opt %s -p @%S/Inputs/outer.yaml --ir=mlir | FileCheck %s
// RUN: not passel-opt %s -p @%S/Inputs/outer.yaml 2>&1 | FileCheck %s --check-prefix=HINT

// CHECK: memref.alloc
// HINT: bufferize.yaml:3:9: error: 'one-shot-bufferize' does not refer to a registered pass
// HINT: passel-opt: note: another installed IR provides 'one-shot-bufferize'; use --ir=mlir
func.func @f(%i: index, %x: f32) -> f32 {
  %0 = bufferization.alloc_tensor() : tensor<4xf32>
  %1 = tensor.insert %x into %0[%i] : tensor<4xf32>
  %2 = tensor.extract %1[%i] : tensor<4xf32>
  return %2 : f32
}
