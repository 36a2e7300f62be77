// Two records are compared: what passes do, and how long they take.

// RUN: passel-opt %s -p "builtin.module(func.func(cse,canonicalize))" --record=%t.old -o /dev/null
// RUN: passel-opt %s -p "builtin.module(func.func(cse,dce))" --record=%t.new -o /dev/null
// RUN: passel-compare %t.old %t.old | filecheck %s --check-prefix=SAME
// SAME: 0 slower, 0 faster, 2 as before

// RUN: passel-compare %t.old %t.new | filecheck %s --check-prefix=OTHER
// OTHER: added builtin.module/func.func/1:dce
// OTHER-NEXT: removed builtin.module/func.func/1:canonicalize

// A pass that another one has moved is the same pass.
// RUN: passel-opt %s -p "builtin.module(func.func(dce,cse,canonicalize))" --record=%t.moved -o /dev/null
// RUN: passel-compare %t.old %t.moved | filecheck %s --check-prefix=MOVED
// MOVED:      added builtin.module/func.func/0:dce
// MOVED-NEXT: 0 slower, 0 faster, 2 as before

// RUN: passel-compare %t.old %t.new --json | filecheck %s --check-prefix=JSON
// JSON: "path": "builtin.module/func.func/0:cse"
// JSON: "verdict": ""

// RUN: rm -rf %t.empty && mkdir %t.empty
// RUN: not passel-compare %t.old %t.empty 2>&1 | filecheck %s --check-prefix=EMPTY
// EMPTY: passel-compare: error: there are no records in '{{.*}}empty'
// RUN: not passel-compare %t.old %s 2>&1 | filecheck %s --check-prefix=NO-RECORD
// NO-RECORD: passel-compare: error: '{{.*}}compare.mlir' is no record of a run; passel-opt --record writes one
func.func @f() {
  return
}
