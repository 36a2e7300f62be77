// What only xdsl-opt has is taken with --compat=xdsl, and pointed out without.
// RUN: passel-opt --compat=xdsl -f mlir --print-no-properties --print-op-generic < %s | FileCheck %s
// RUN: not passel-opt -f mlir %s 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK: {sym_name = "a"
// OTHER: passel-opt: error: '-f' is not available: add --compat=xdsl
func.func private @a()
