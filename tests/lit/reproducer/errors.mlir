// What is wrong in a reproducer is reported with its place, also inside of the pipeline.
// RUN: not passel-opt --run-reproducer --split-input-file %s 2>&1 | FileCheck %s

// CHECK: errors.mlir:12:46: error: unknown 'mlir_reproducer' resource key 'verify'
// CHECK: errors.mlir:14:59: error: expected 'true' or 'false' value for key 'verify_each'
// CHECK: errors.mlir:16:56: error: expected string value for key 'pipeline'
// CHECK: errors.mlir:18:65: error: 'csee' does not refer to a registered pass or pass pipeline; did you mean 'cse'?
// CHECK: errors.mlir:20:57: error: can't run 'func.func' pass manager on 'builtin.module' op
// CHECK: errors.mlir:22:56: error: expected string value for key 'pipeline'

// -----
{-# external_resources: { mlir_reproducer: { verify: true } } #-}
// -----
{-# external_resources: { mlir_reproducer: { verify_each: "true" } } #-}
// -----
{-# external_resources: { mlir_reproducer: { pipeline: true } } #-}
// -----
{-# external_resources: { mlir_reproducer: { pipeline: "any(cse,csee)" } } #-}
// -----
{-# external_resources: { mlir_reproducer: { pipeline: "func.func(cse)" } } #-}
// -----
{-# external_resources: { mlir_reproducer: { pipeline: 3 } } #-}
