// Without --run-reproducer nothing recorded is run, and all resources are printed again, by group.
// RUN: passel-opt %s | FileCheck %s

// CHECK: func.func @f() {
// CHECK-NEXT: func.return
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: {-#
// CHECK-NEXT:   external_resources: {
// CHECK-NEXT:     mlir_reproducer: {
// CHECK-NEXT:       pipeline: "builtin.module(absent)",
// CHECK-NEXT:       verify_each: true
// CHECK-NEXT:     },
// CHECK-NEXT:     zoo: {
// CHECK-NEXT:       blob: "0x08000000010203",
// CHECK-NEXT:       "two words": "line\0A\22"
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: #-}
func.func @f() { return }
{-#
  external_resources: {
    mlir_reproducer: { pipeline: "builtin.module(absent)" },
    zoo: { blob: "0x08000000010203", "two words": "line\n\22" },
    mlir_reproducer: { verify_each: true }
  }
#-}
