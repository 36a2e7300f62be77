// What an xDSL pass adds beside the function that it is nested on is kept, with a remark.
// RUN: passel-opt %s --load-pass-plugin=%inputs/module_passes.py -p 'builtin.module(func.func(add-helper))' 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK: xdsl-pass-adds-symbol.mlir:8:1: remark: pass 'add-helper' added @helper next to its op
// CHECK: func.func private @helper()
// CHECK-NOT: @helper
func.func @a() {
  return
}
func.func @b() {
  return
}
