// Without the flag a marker is a comment.
// RUN: passel-opt %s | FileCheck %s

// CHECK-NOT: // {{-----}}
// CHECK: @a
// CHECK-NOT: // {{-----}}
// CHECK: @b
func.func private @a()
// -----
func.func private @b()
