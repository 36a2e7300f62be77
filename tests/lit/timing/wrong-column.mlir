// What is no column is said at once: the input, which is wrong too, is not looked at.
// RUN: not passel-opt %s --mlir-timing --mlir-timing-columns=wall,slef 2>&1 | FileCheck %s

// CHECK: {{^}}passel-opt: error: for the --mlir-timing-columns option: there is no timing column 'slef', only user, wall, self; did you mean 'self'?
// CHECK-NOT: {{.}}
func.func @f( {
