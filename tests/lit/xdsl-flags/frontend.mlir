// `-f mlir` is accepted, whatever the file is called.
// RUN: passel-opt -f mlir < %s | FileCheck %s
// RUN: not passel-opt -f riscv %s 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK: func.func private @a()
// OTHER: passel-opt: error: {{.*}}'riscv'
func.func private @a()
