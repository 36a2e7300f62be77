// An optimization level is a registered pipeline of the IR; it may have options and stand in pipelines.
// RUN: passel-opt %s -O0 | FileCheck %s --check-prefix=O0
// RUN: passel-opt %s -O1 | FileCheck %s --check-prefix=O1
// RUN: passel-opt %s -O2 | FileCheck %s --check-prefix=O2
// RUN: passel-opt %s -O3 | FileCheck %s --check-prefix=O2
// RUN: passel-opt %s -O2=inline=false | FileCheck %s --check-prefix=O1
// RUN: passel-opt %s -p 'builtin.module(O2{inline=false})' | FileCheck %s --check-prefix=O1
// RUN: passel-opt --help-passes | FileCheck %s --check-prefix=HELP
// RUN: not passel-opt %s -O4 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not passel-opt %s -O2 --ir=mlir 2>&1 | FileCheck %s --check-prefix=MLIR
// RUN: not passel-opt %s -O2 -p cse 2>&1 | FileCheck %s --check-prefix=BOTH

// O0: func.call
// O0: arith.muli
// O1: func.call
// O1-NOT: arith.muli
// O2-NOT: @one
// O2: arith.constant 1
// O2-NOT: func.call
// HELP: Pass Pipelines:
// HELP: --O2 {{ *}}- Simplify, inline
// HELP-NEXT: --inline {{ *}}- Inline function calls. (default true)
// NONE: passel-opt: error: there is no optimization level '-O4' for xdsl: there are -O0, -O1, -O2, -O3; a package adds one with registry.register_pipeline('O4', ...)
// MLIR: passel-opt: error: there is no optimization level '-O2' for mlir: there are none;
// BOTH: passel-opt: error: '--pass-pipeline' can't be used with individual pass options such as '--O2'
func.func private @one() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}

func.func @main(%a: i32) -> i32 {
  %0 = func.call @one() : () -> i32
  %1 = arith.muli %0, %0 : i32
  return %0 : i32
}
