// Errors of the verifier on the input are diagnostics too; IR is printed where it is valid.
// RUN: passel-opt %s --verify-diagnostics --split-input-file | FileCheck %s

// CHECK-NOT: func.func
// CHECK: // -----
// CHECK: func.func private @valid
// expected-error@below {{'func.func' op}}
"func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
^bb0(%arg: i64):
  "func.return"() : () -> ()
}) : () -> ()
// -----
func.func private @valid()
