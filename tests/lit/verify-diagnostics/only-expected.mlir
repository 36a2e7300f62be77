// `only-expected` takes no offence at what is unexpected, but still wants the expected.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics=only-expected
// RUN: not passel-opt %s --verify-diagnostics=only-expected 2>&1 | FileCheck %s --check-prefix=UNMET

// UNMET: expected remark "wanted" was not produced
// expected-remark@below {{wanted}}
"test.op"() {remark = "wanted"} : () -> ()
"test.op"() {remark = "other"} : () -> ()
