// A record never takes the input's place, and one that cannot be written is an error.
// RUN: cp %s %t.mlir
// RUN: not passel-opt %t.mlir --record=%t.mlir 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: diff %s %t.mlir
// RUN: not passel-opt %s --record=%t.none/record -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

// INPUT: passel-opt: error: '--record={{.*}}.mlir' would overwrite the input
// NONE: passel-opt: error: cannot open output file '{{.*}}/record': No such file or directory

func.func private @f()
