// The output can be coloured.
// RUN: passel-opt %s --syntax-highlight | FileCheck %s
// RUN: passel-opt %s | FileCheck %s --check-prefix=PLAIN

// CHECK: {{\x1b\[[0-9;]+m}}
// PLAIN-NOT: {{\x1b}}
%0 = arith.constant 1 : i32
