// With `--compat=xdsl`, split input and targets are xDSL's.
// RUN: passel-opt --compat=xdsl %s --split-input-file > %t.passel
// RUN: xdsl-opt %s --split-input-file > %t.xdsl
// RUN: diff %t.passel %t.xdsl
// RUN: passel-opt --compat=xdsl %s --split-input-file -t riscv-asm > %t.passel
// RUN: xdsl-opt %s --split-input-file -t riscv-asm > %t.xdsl
// RUN: diff %t.passel %t.xdsl
riscv_func.func @a() {
  riscv_func.return
}
// -----
riscv_func.func @b() {
  riscv_func.return
}
