// `above` and `below` mean the nearest line without a directive.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --report --verify-diagnostics

// expected-remark@below {{first}}
// expected-warning@below {{at once}}
"test.op"() {remark = "first", warning = "at once"} : () -> ()

"test.op"() {remark = "second", warning = "likewise"} : () -> ()
// expected-remark@above {{second}}
// expected-warning@above {{likewise}}
