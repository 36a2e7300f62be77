// One expectation takes any number of equal diagnostics.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics

// expected-remark@below {{again}}
"test.op"() {remark = "again"} : () -> () "test.op"() {remark = "again"} : () -> ()
