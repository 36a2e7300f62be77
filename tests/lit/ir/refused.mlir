// Flags for another IR, or that no IR here can follow, say why.

// RUN: not passel-opt --ir=mlir %s --target=riscv-asm 2>&1 | FileCheck %s --check-prefix=XDSL
// XDSL: passel-opt: error: '--target' does not work with --ir=mlir: xDSL's targets print xDSL's IR

// RUN: not passel-opt %s --emit-bytecode 2>&1 | FileCheck %s --check-prefix=MLIR
// MLIR: passel-opt: error: '--emit-bytecode' needs --ir=mlir: xDSL has no such thing

// RUN: not passel-opt --ir=mlir %s --mlir-print-value-users 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: passel-opt: error: '--mlir-print-value-users' is not available: MLIR's bindings offer no such form

// RUN: not passel-opt %s --affine-loop-fusion 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: passel-opt: note: an installed IR has the pass 'affine-loop-fusion': --ir=mlir
