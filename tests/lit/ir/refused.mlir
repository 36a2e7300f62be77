// Flags for another IR, or that no IR here can follow, say why.

// RUN: not passel-opt --ir=mlir %s --target=riscv-asm 2>&1 | FileCheck %s --check-prefix=XDSL
// XDSL: passel-opt: error: '--target' requires --ir=xdsl, not --ir=mlir

// RUN: not passel-opt %s --emit-bytecode 2>&1 | FileCheck %s --check-prefix=MLIR
// MLIR: passel-opt: error: '--emit-bytecode' requires --ir=mlir, not --ir=xdsl

// RUN: not passel-opt --ir=mlir %s --mlir-print-value-users 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: passel-opt: error: '--mlir-print-value-users' is not available: MLIR's bindings do not support this flag

// RUN: not passel-opt %s --affine-loop-fusion 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: passel-opt: note: another installed IR provides 'affine-loop-fusion'; use --ir=mlir

// What mlir-opt and LLVM have and passel-opt has not names what it has instead.

// RUN: not passel-opt %s --debug-only=pass-manager 2>&1 | FileCheck %s --check-prefix=DEBUG
// DEBUG: passel-opt: error: '--debug-only=pass-manager' is not available: {{.*}} --log-actions-to=<file> show what passes do

// RUN: not passel-opt %s -debug 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: passel-opt: error: '-debug' is not available: MLIR's bindings cannot turn on debug output

// RUN: not passel-opt %s --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: passel-opt: error: '--stats' is not available: use --mlir-pass-statistics

// RUN: not passel-opt --help-list 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: passel-opt: error: '--help-list' is not available: use --help-all to list all flags, or --list-passes

// RUN: not passel-opt --print-options 2>&1 | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: passel-opt: error: '--print-options' is not available: use --dump-pass-pipeline to print all options

// RUN: not passel-opt @args.rsp 2>&1 | FileCheck %s --check-prefix=RESPONSE
// RESPONSE: passel-opt: error: '@args.rsp': response files are not supported; write xargs passel-opt < args.rsp
