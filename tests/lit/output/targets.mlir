// Other targets than MLIR are xDSL's.
// RUN: passel-opt %s -t riscv-asm | FileCheck %s
// RUN: passel-opt %s --target=riscv-asm | FileCheck %s
// RUN: not passel-opt %s -t riscv 2>&1 | FileCheck %s --check-prefix=TYPO

// CHECK: main:
// CHECK-NEXT: li a0, 1
// CHECK-NEXT: ret
// CHECK-NOT: builtin.module
// TYPO: passel-opt: error: no such target 'riscv'; did you mean 'riscv-asm'?
riscv_func.func @main() {
  %0 = rv32.li 1 : !riscv.reg<a0>
  riscv_func.return
}
