// Errors of the parser are diagnostics too.
// RUN: passel-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect=false

func.func @f() {
  // expected-error@below {{custom op 'arith.constnt' is unknown}}
  arith.constnt 1
}
// -----
func.func @f() {
  "unknown.op"() : () -> () // expected-error {{operation being parsed with an unregistered dialect}}
}
// -----
func.func @f() {
  "test.op"(%x) : (i32) -> () // expected-error {{use of undeclared SSA value name}}
  return
}
