// Parts of the input may have resources of the same name: each keeps its contents.

// RUN: passel-opt %s --split-input-file | FileCheck %s

// CHECK: dense_resource<[[FIRST:part[_0-9]*]]> : tensor<1xi32>
// CHECK: [[FIRST]]: "0x0400000001000000"
func.func @a() -> tensor<1xi32> {
  %0 = arith.constant dense_resource<part> : tensor<1xi32>
  return %0 : tensor<1xi32>
}
{-# dialect_resources: { builtin: { part: "0x0400000001000000" } } #-}

// -----

// CHECK: dense_resource<[[SECOND:part[_0-9]*]]> : tensor<1xi32>
// CHECK: [[SECOND]]: "0x0400000002000000"
func.func @b() -> tensor<1xi32> {
  %0 = arith.constant dense_resource<part> : tensor<1xi32>
  return %0 : tensor<1xi32>
}
{-# dialect_resources: { builtin: { part: "0x0400000002000000" } } #-}
