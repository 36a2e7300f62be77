// With `-re`, what stands in inner braces is a regular expression, the rest is literal.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics

// expected-remark-re @+1 {{got {{[0-9]+}} (of {{a|b}})}}
"test.op"() {remark = "got 42 (of b) ops"} : () -> ()
// expected-remark @+1 {{[0-9]+}}
"test.op"() {remark = "[0-9]+ is literal here"} : () -> ()
