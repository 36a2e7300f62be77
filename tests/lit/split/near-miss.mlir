// A marker that is a dash short does not split, but warns.
// RUN: passel-opt %s --split-input-file 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARNING < %t

// WARNING: near-miss.mlir:12:7: warning: near miss with file split marker
// WARNING-NEXT: // {{----}}
// WARNING-NEXT: ^
// CHECK: func.func private @a()
// CHECK-NOT: // {{-----}}
// CHECK: func.func private @b()
func.func private @a()
// ----
func.func private @b()
