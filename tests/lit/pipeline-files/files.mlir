// `-p @file` takes a pipeline from YAML.
// RUN: passel-opt %s -p @%S/Inputs/levels.yaml --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=PLAIN
// RUN: passel-opt %s -p @%S/Inputs/tidy.yaml --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=FILE

// It works on each part of a split input, on MLIR's ops, and is recorded as flat text.
// RUN: passel-opt %s -p @%S/Inputs/levels.yaml --split-input-file | FileCheck %s --check-prefix=SPLIT
// RUN: passel-opt %s -p @%S/Inputs/levels.yaml --split-input-file --ir=mlir | FileCheck %s --check-prefix=SPLIT
// RUN: passel-opt %s -p @%S/Inputs/levels.yaml --ir=mlir --mlir-generate-reproducer=%t.mlir -o /dev/null
// RUN: FileCheck %s --check-prefix=RECORDED < %t.mlir
// RUN: passel-opt %t.mlir --run-reproducer --ir=mlir --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=PLAIN

// PLAIN:      builtin.module(
// PLAIN-NEXT:   func.func(
// PLAIN-NEXT:     canonicalize{{{.*}}max-iterations=3{{.*}}}
// PLAIN-NEXT:   ),
// PLAIN-NEXT:   cse,
// PLAIN-NEXT:   sccp
// PLAIN-NEXT: )
// FILE:       builtin.module(
// FILE-NEXT:    cse,
// FILE-NEXT:    sccp
// SPLIT:      @f
// SPLIT-NOT:  addi
// SPLIT:      // -----
// SPLIT:      @g
// RECORDED:   pipeline: "builtin.module(func.func(canonicalize
func.func @f() -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.addi %0, %0 : i32
  return %1 : i32
}

// -----

func.func @g() {
  return
}
