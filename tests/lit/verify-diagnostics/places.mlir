// A directive can be about another line: offsets, above, below.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics

// expected-remark@+1 {{one}}
"test.op"() {remark = "one"} : () -> ()
// expected-remark @+2 {{two}}

"test.op"() {remark = "two"} : () -> ()

// expected-remark@below {{three}}
"test.op"() {remark = "three"} : () -> ()

"test.op"() {remark = "four"} : () -> ()
// expected-remark@above {{four}}

"test.op"() {remark = "five"} : () -> ()

// expected-remark @-2 {{five}}

// What stands between with a directive of its own is passed over.
// expected-remark@below {{six}}
// expected-warning@below {{at once}}
"test.op"() {remark = "six", warning = "at once"} : () -> ()
