// Each part has its own expectations; one unmet fails the whole.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics --split-input-file
// RUN: not passel-opt %s --verify-diagnostics --split-input-file 2>&1 | FileCheck %s

// CHECK: split.mlir:8:4: error: expected remark "first" was not produced
// CHECK: split.mlir:11:4: error: expected remark "second" was not produced

// expected-remark@below {{first}}
"test.op"() {remark = "first"} : () -> ()
// -----
// expected-remark@below {{second}}
"test.op"() {remark = "second"} : () -> ()
