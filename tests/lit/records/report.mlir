// A record is shown as the pipeline with what was changed, and a pass with a diff for each op.

// RUN: passel-opt %s -p "builtin.module(func.func(cse,canonicalize),symbol-dce)" --record=%t -o /dev/null
// RUN: passel-report %t | FileCheck %s --check-prefix=TREE
// RUN: passel-report %t --step cse --diff | FileCheck %s --check-prefix=DIFF
// RUN: passel-report %t --step cse --op @g | FileCheck %s --check-prefix=OP
// RUN: passel-report %t --step canonicalize --op @g | FileCheck %s --check-prefix=AGAIN
// RUN: passel-report %t --step cse --op @f --generic | FileCheck %s --check-prefix=GENERIC
// RUN: not passel-report %t --step cs 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not passel-report %t --step cse --op @h 2>&1 | FileCheck %s --check-prefix=NO-OP
// RUN: passel-report %t --diff | FileCheck %s --check-prefix=HISTORY
// RUN: passel-report %t --op @f --diff | FileCheck %s --check-prefix=HISTORY
// RUN: passel-report %t --op @g | FileCheck %s --check-prefix=NOTHING
// RUN: not passel-report %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: passel-opt %s -p "builtin.module(builtin.module(func.func(cse)),symbol-dce,builtin.module(func.func(dce)))" --record=%t.twice -o /dev/null
// RUN: passel-report %t.twice | FileCheck %s --check-prefix=TWICE

// TREE:      report.mlir: builtin.module(func.func(cse,canonicalize),symbol-dce) (xdsl
// TREE-NEXT: ops changed failed time own
// TREE-NEXT: builtin.module
// TREE-NEXT:   func.func
// TREE-NEXT:     cse 2 1
// TREE-NEXT:     canonicalize 2 0
// TREE-NEXT:   symbol-dce 1 0

// TWICE:        symbol-dce 1
// TWICE-NEXT:   builtin.module
// TWICE-NEXT:     func.func
// TWICE-NEXT:       dce

// DIFF:      // builtin.module/func.func/0:cse on func.func @f at {{.*}}report.mlir:{{[0-9]+}}:1: changed,
// DIFF-NEXT: // num-cse'd: 1
// DIFF:      --- before
// DIFF-NEXT: +++ after
// DIFF:      -  %b = arith.addi %x, %x : i32
// DIFF-NEXT: -  func.return %a, %b : i32, i32
// DIFF-NEXT: +  func.return %a, %a : i32, i32
// DIFF:      // builtin.module/func.func/0:cse left 1 op unchanged

// OP:      on func.func @g at
// OP-SAME: : unchanged,
// OP-NEXT: func.func @g() {
// OP-NEXT:   func.return
// OP-NEXT: }

// AGAIN: // to run it again: passel-opt --run-reproducer --start-after=builtin.module/func.func/0:cse@g --stop-after=builtin.module/func.func/1:canonicalize@g {{.*}}report.mlir{{.*}}

// GENERIC: "func.return"(%a, %a) : (i32, i32) -> () loc("{{.*}}report.mlir":

// STEP:      passel-report: error: no pass matches 'cs'; did you mean 'cse'?; the passes are:
// STEP-NEXT: builtin.module/func.func/0:cse

// NO-OP: passel-report: error: 'builtin.module/func.func/0:cse' did not run on @h

// HISTORY:      // builtin.module/func.func/0:cse on func.func @f at
// HISTORY:      +  func.return %a, %a : i32, i32
// HISTORY-NOT:  //

// NOTHING: // no pass changed @g

// NONE: passel-report: error: '{{.*}}report.mlir' is not a record of a run; to write one, use passel-opt --record

func.func @f(%x: i32) -> (i32, i32) {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  return %a, %b : i32, i32
}
func.func @g() {
  return
}
