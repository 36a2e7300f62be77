// An xDSL pass that replaces the function that it is nested on fails, and says what works.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/module_passes.py -p 'builtin.module(func.func(replace-all))' 2> %t > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t
// RUN: passel-opt %s --load-pass-plugin=%inputs/module_passes.py -p 'builtin.module(replace-all)' | FileCheck %s --check-prefix=MODULE

// CHECK: xdsl-pass-replaces-op.mlir:9:1: error: 'func.func' op pass 'replace-all' failed: it replaced the op that it ran on; run builtin.module(replace-all) instead
// MODULE: func.func private @new()
func.func @a() {
  return
}
