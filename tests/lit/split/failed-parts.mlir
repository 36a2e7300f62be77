// Parts after a failed one are processed too; separators stand around all of them.
// RUN: not passel-opt %s --split-input-file 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t

// ERROR:      failed-parts.mlir:17:3: error: Dialect `nonsense' not found for custom op 'nonsense.op'
// ERROR-NEXT: {{^}}  nonsense.op
// ERROR-NEXT: {{^}}  ^
// ERROR-NOT: error
// CHECK:      func.func private @a()
// CHECK:      // {{-----}}
// CHECK-NEXT: // {{-----}}
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func private @c()
func.func private @a()
// -----

  nonsense.op
// -----
func.func private @c()
