// Counters skip executions by number: of all, the nested pipeline included, or of one pass.

// RUN: passel-opt %s -p "builtin.module(func.func(cse))" --mlir-debug-counter=pass-execution-count=2 | FileCheck %s --check-prefixes=F-DONE,G-LEFT
// RUN: passel-opt %s -p "builtin.module(func.func(cse))" --mlir-debug-counter=pass-execution-skip=1 | FileCheck %s --check-prefixes=F-LEFT,G-LEFT
// RUN: passel-opt %s -p "builtin.module(func.func(cse))" --mlir-debug-counter=cse-skip=1 | FileCheck %s --check-prefixes=F-LEFT,G-DONE

// F-DONE: @f
// F-DONE: arith.addi
// F-DONE-NOT: arith.addi
// F-DONE: return
// F-LEFT: @f
// F-LEFT: arith.addi
// F-LEFT: arith.addi
// F-LEFT: return
func.func @f(%x: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  return %0, %1 : i32, i32
}

// G-DONE: @g
// G-DONE: arith.addi
// G-DONE-NOT: arith.addi
// G-DONE: return
// G-LEFT: @g
// G-LEFT: arith.addi
// G-LEFT: arith.addi
// G-LEFT: return
func.func @g(%x: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  return %0, %1 : i32, i32
}
