// One expectation takes any number of equal diagnostics.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --report --verify-diagnostics

// expected-remark@below {{again}}
"test.op"() {remark = "again"} : () -> () "test.op"() {remark = "again"} : () -> ()
