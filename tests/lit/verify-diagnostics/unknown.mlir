// `unknown` stands for diagnostics without a place in a file.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics
// RUN: not passel-opt %s --verify-diagnostics 2>&1 | FileCheck %s

// CHECK: <unknown>:0: error: expected remark "no place" was not produced
// expected-remark@unknown {{no place}}
module {
  "test.op"() {remark = "no place"} : () -> () loc(unknown)
} loc(unknown)
