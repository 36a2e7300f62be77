// A pass that fails on one op is still run on the others, and nothing is printed.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(func.func(fail,say-something),cse)' --mlir-print-ir-after-all 2> %t > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t

// CHECK: remark: in good
// CHECK: siblings.mlir:15:1: error: 'func.func' op pass 'fail' failed: @bad is not wanted
// CHECK-NEXT: func.func @bad() {
// CHECK: note: see current operation:
// CHECK-NEXT: "func.func"()
// CHECK-NOT: remark: in bad
// CHECK: remark: in fine
// CHECK-NOT: IR Dump After CSE
func.func @good() { "test.op"() {remark = "in good"} : () -> () return }
func.func @bad() { "test.op"() {remark = "in bad"} : () -> () return }
func.func @fine() { "test.op"() {remark = "in fine"} : () -> () return }
