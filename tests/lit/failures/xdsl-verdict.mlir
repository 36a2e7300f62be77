// A pass of xDSL's that says that it did not succeed has failed, and did not crash.
// RUN: not passel-opt %s -p transform-interpreter 2>&1 | FileCheck %s
// RUN: not passel-opt --compat=xdsl %s -p transform-interpreter 2>&1 | FileCheck %s --check-prefix=COMPAT

// CHECK: xdsl-verdict.mlir:{{.*}}: error: 'builtin.module' op pass 'transform-interpreter' failed: could not find a nested named sequence with name: __transform_main
// CHECK-NOT: crashed
// COMPAT: {{^}}xdsl.utils.exceptions.PassFailedException: ModuleOp(
func.func private @f()
