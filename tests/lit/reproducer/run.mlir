// The recorded pipeline is run, and what records it is not printed again.
// RUN: passel-opt --load-pass-plugin=%inputs/passes.py --run-reproducer %s | FileCheck %s
// RUN: passel-opt --load-pass-plugin=%inputs/passes.py --run-reproducer %s --cse --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=APPENDED
// RUN: passel-opt --load-pass-plugin=%inputs/passes.py --run-reproducer %s -p 'any(cse)' | FileCheck %s --check-prefix=REPLACED

// CHECK: func.func @f() attributes {seen = 1 : i32}
// CHECK-NOT: mlir_reproducer
// APPENDED: mark
// APPENDED: cse
// REPLACED: func.func @f() {
// REPLACED-NOT: mlir_reproducer
func.func @f() { return }
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(mark))",
      disable_threading: false,
      verify_each: true
    }
  }
#-}
