// Of several pipelines the last one counts, as with every flag.
// RUN: passel-opt %s -p 'builtin.module(nonsense)' --pass-pipeline='builtin.module(dce)' | FileCheck %s

// CHECK-NOT: arith.constant
%0 = arith.constant 1 : i32
