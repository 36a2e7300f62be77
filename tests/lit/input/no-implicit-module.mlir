// Without the implicit module, a single op is the input.
// RUN: not passel-opt %s --no-implicit-module --split-input-file 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t

// CHECK-NOT: builtin.module
// CHECK: {{^}}func.func private @a()
// CHECK-NOT: builtin.module
// ERROR: no-implicit-module.mlir:12:1: error: source must contain a single top-level operation, found: 2
func.func private @a()
// -----
func.func private @b()
func.func private @c()
