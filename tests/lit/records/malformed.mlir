// A record never takes the input's place, and what is about records needs one.

// RUN: cp %s %t.mlir
// RUN: not passel-opt %t.mlir --record=%t.mlir 2>&1 | filecheck %s --check-prefix=INPUT
// RUN: diff %s %t.mlir
// RUN: not passel-opt %s --record-each-pass 2>&1 | filecheck %s --check-prefix=EACH
// RUN: passel-opt %s --record=%t.none/record -o /dev/null 2>&1 | filecheck %s --check-prefix=NONE

// INPUT: passel-opt: error: '--record={{.*}}.mlir' would overwrite the input

// EACH: passel-opt: error: '--record-each-pass' is about --record=<file>

// NONE: passel-opt: error: cannot write the record '{{.*}}/record': No such file or directory

func.func private @f()
