// All kinds of diagnostics can be expected, on their line.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics | FileCheck %s

// CHECK: error = "an error"
"test.op"() {error = "an error"} : () -> () // expected-error {{an error}}
"test.op"() {warning = "a warning"} : () -> () // expected-warning {{warn}}
"test.op"() {remark = "a remark"} : () -> () // expected-remark{{a remark}}
