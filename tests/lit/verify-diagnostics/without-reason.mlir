// The place of a crash is not expected; words of a pass that sound like a failure without a reason are.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics 2>&1 >%t | FileCheck %s
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --crash --verify-diagnostics

// CHECK: error: unexpected error: 'test.op' op pass 'x' failed
// expected-error @below {{crashed: KeyError: 'absent'}}
builtin.module {
  "test.op"() {error = "'test.op' op pass 'x' failed"} : () -> ()
}
