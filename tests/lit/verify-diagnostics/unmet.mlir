// What was expected and did not come is an error at its directive.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=UNMET < %t

// CHECK: "test.op"() : () -> ()
// UNMET: unmet.mlir:8:34: error: expected error "nothing" was not produced
// UNMET-NEXT: "test.op"() : () -> () // expected-error
  "test.op"() : () -> ()      // expected-error {{nothing}}
