// A pipeline without passes changes nothing; no pipeline at all is an error.
// RUN: passel-opt %s -p 'builtin.module()' | FileCheck %s
// RUN: not passel-opt %s -p '' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: passel-opt %s | FileCheck %s

// NOTHING: --pass-pipeline:1:1: error: expected pass pipeline to be wrapped
// CHECK: arith.constant 1 : i32
%0 = arith.constant 1 : i32
