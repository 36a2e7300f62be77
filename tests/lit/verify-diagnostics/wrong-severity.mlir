// The right text at the wrong severity is reported as such, and as missing.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics 2>&1 >/dev/null | FileCheck %s

// CHECK: wrong-severity.mlir:6:47: error: 'remark' diagnostic emitted when expecting a 'error'
// CHECK: wrong-severity.mlir:6:47: error: expected error "text" was not produced
"test.op"() {remark = "text"} : () -> ()   // expected-error {{text}}
