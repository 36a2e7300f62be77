// The marker is looked for as text, anywhere in a line; a longer one splits too.
// RUN: passel-opt %s --split-input-file | FileCheck %s

// CHECK: func.func private @a()
// CHECK: // {{-----}}
// CHECK: func.func private @b()
// CHECK-NOT: // {{-----}}
func.func private @a() // -----func.func private @b()
