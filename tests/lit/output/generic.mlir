// Generic form.
// RUN: passel-opt %s --mlir-print-op-generic | FileCheck %s
// RUN: passel-opt %s --print-op-generic | passel-opt | FileCheck %s --check-prefix=CUSTOM

// CHECK: "builtin.module"() ({
// CHECK-NEXT: "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
// CUSTOM: func.func @f() {
func.func @f() {
  return
}
