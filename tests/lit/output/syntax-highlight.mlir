// The output can be coloured.
// RUN: passel-opt %s --syntax-highlight | FileCheck %s
// RUN: passel-opt %s | FileCheck %s --check-prefix=PLAIN

// CHECK: {{.\[[0-9;]+m%0.\[0m}} = arith.constant
// PLAIN-NOT: {{\[[0-9;]+m}}
%0 = arith.constant 1 : i32
