// Two records are compared: where results begin to differ, statistics and times.

// RUN: passel-opt %s -p "builtin.module(func.func(dce,cse,canonicalize))" --record=%t.old -o /dev/null
// RUN: passel-opt %s -p "builtin.module(func.func(cse,canonicalize{max-num-rewrites=0}))" --record=%t.moved -o /dev/null
// RUN: passel-report %t.old %t.old | FileCheck %s --check-prefix=SAME
// RUN: passel-report %t.old %t.old --diff | FileCheck %s --check-prefix=NO-DIFF
// RUN: passel-report %t.old %t.moved | FileCheck %s --check-prefix=MOVED
// RUN: passel-report %t.old %t.moved --diff | FileCheck %s --check-prefix=DIFF
// RUN: not passel-report %t.old %t.moved --step=cse 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not passel-report %t.old %s 2>&1 | FileCheck %s --check-prefix=NO-RECORD
// RUN: passel-report %t.old %t.moved -o %t.html
// RUN: FileCheck %s --check-prefix=PAGE --input-file %t.html
// RUN: not passel-report %t.old -o %t.html --step=cse 2>&1 | FileCheck %s --check-prefix=TERMINAL

// SAME:      old: {{.*}}compare.mlir: builtin.module(func.func(dce,cse,canonicalize)) (xdsl
// SAME-NEXT: new: {{.*}}compare.mlir: builtin.module(func.func(dce,cse,canonicalize)) (xdsl
// SAME-NEXT: ops differ old time new time
// SAME:      dce 2 {{[0-9.]+}} ms {{[0-9.]+}} ms{{$}}

// NO-DIFF: // the IR is the same after every pass that ran in both records

// A pass that another one has moved is the same pass.
// MOVED:      dce 2 {{[0-9.]+}} ms only old
// MOVED-NEXT: cse 2 {{[0-9.]+}} ms {{[0-9.]+}} ms num-dce'd: 0 → 1
// MOVED-NEXT: canonicalize{max-num-rewrites=0} 2 1 {{[0-9.]+}} ms {{[0-9.]+}} ms

// DIFF:      // builtin.module/func.func/0:dce: only old
// DIFF-NEXT: // builtin.module/func.func/1:canonicalize on func.func @f: changed → unchanged
// DIFF-NEXT: --- before
// DIFF-NEXT: +++ after
// DIFF:      +  %b = arith.addi %x, %zero : i32

// STEP: passel-report: error: --step and --op take one record; to compare two records, use --diff
// NO-RECORD: passel-report: error: '{{.*}}compare.mlir' is not a record of a run; to write one, use passel-opt --record

// Records of one input are told apart by their own names.
// PAGE: <title>{{.*}}.old and {{.*}}.moved</title>
// TERMINAL: passel-report: error: -o writes the full report

func.func @f(%x: i32) -> i32 {
  %dead = arith.muli %x, %x : i32
  %zero = arith.constant 0 : i32
  %b = arith.addi %x, %zero : i32
  %c = arith.muli %b, %b : i32
  return %c : i32
}
func.func @g() {
  return
}
