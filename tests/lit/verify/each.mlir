// What a pass breaks is found after the pass, unless verification is off.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --break 2> %t > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --break --verify-each=always 2>&1 | FileCheck %s
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --break --verify-each=false | FileCheck %s --check-prefix=BROKEN

// CHECK: each.mlir:14:1: error: 'func.func' op empty block: expect at least a terminator
// CHECK: each.mlir:14:1: note: {{.*}}after pass 'break' on 'func.func' @f [builtin.module/func.func/0:break]
// CHECK: each.mlir:14:1: note: see current operation:
// CHECK-NEXT: "func.func"()
// BROKEN: func.func{{.*}}f
// BROKEN-NOT: return
func.func @f() {
  return
}
