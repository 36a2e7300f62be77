// Notes are expected like everything else; the op itself is not shown under test.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics

// expected-error@below {{too bad}}
// expected-note@below {{because of this}}
"test.op"() {error = "too bad", note = "because of this"} : () -> ()
