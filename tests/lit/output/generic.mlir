// Generic form, with properties or with attributes alone.
// RUN: passel-opt %s --mlir-print-op-generic | FileCheck %s
// RUN: passel-opt %s --print-op-generic | passel-opt | FileCheck %s --check-prefix=CUSTOM
// RUN: passel-opt %s --print-op-generic --print-no-properties | FileCheck %s --check-prefix=ATTRIBUTES

// CHECK: "builtin.module"() ({
// CHECK-NEXT: "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
// ATTRIBUTES: "func.func"() ({
// ATTRIBUTES: }) {sym_name = "f", function_type = () -> ()} : () -> ()
// CUSTOM: func.func @f() {
func.func @f() {
  return
}
