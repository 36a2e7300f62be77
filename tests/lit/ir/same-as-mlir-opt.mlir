// With --ir=mlir the tool prints what mlir-opt prints, also as bytecode and for each part of a split file.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --split-input-file --cse --mlir-print-debuginfo > %t.theirs
// RUN: passel-opt --ir=mlir %s --split-input-file --cse --mlir-print-debuginfo > %t.ours
// RUN: diff %t.theirs %t.ours
// RUN: passel-opt --ir=mlir %s --emit-bytecode --canonicalize | mlir-opt --mlir-print-op-generic > %t.ours
// RUN: mlir-opt %s --canonicalize --mlir-print-op-generic > %t.theirs
// RUN: diff %t.theirs %t.ours

func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}

// -----

func.func private @g()
