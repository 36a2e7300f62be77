// A pipeline without passes changes nothing, in any spelling.
// RUN: passel-opt %s -p 'builtin.module()' | FileCheck %s
// RUN: passel-opt %s -p '' | FileCheck %s
// RUN: passel-opt %s | FileCheck %s

// CHECK: arith.constant 1 : i32
%0 = arith.constant 1 : i32
