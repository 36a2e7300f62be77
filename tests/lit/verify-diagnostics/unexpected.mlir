// What comes unexpectedly is an error at its place.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics 2>&1 >/dev/null | FileCheck %s

// CHECK: unexpected.mlir:6:1: error: unexpected warning: surprise
// CHECK-NEXT: "test.op"()
"test.op"() {warning = "surprise"} : () -> ()
