// xDSL's flat form is a pipeline on the module.
// RUN: passel-opt %s -p cse,dce --dump-pass-pipeline 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=DUMP < %t

// DUMP: builtin.module(
// DUMP-NEXT: cse,
// DUMP-NEXT: dce
// CHECK: func.func @f() {
// CHECK-NEXT: func.return
func.func @f() {
  %0 = arith.constant 1 : i32
  return
}
