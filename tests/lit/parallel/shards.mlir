// With -j, functions are parsed, run and printed by worker processes. The output is that of one process, also where one is wrong.
// RUN: %python -c 'for i in range(1500): print("func.func @f%%d(%%%%a: i32) -> i32 {\n  %%%%0 = arith.addi %%%%a, %%%%a : i32\n  return %%%%0 : i32\n}" %% i)' > %t.mlir
// RUN: env PASSEL_JOBS=1 passel-opt %t.mlir -p 'builtin.module(func.func(cse))' -o %t.one
// RUN: env PASSEL_JOBS=2 passel-opt %t.mlir -p 'builtin.module(func.func(cse))' -o %t.two
// RUN: cmp %t.one %t.two
// RUN: echo 'func.func @f7() {' >> %t.mlir
// RUN: not env PASSEL_JOBS=2 passel-opt %t.mlir -p 'builtin.module(func.func(cse))' 2>&1 | FileCheck %s
// CHECK: shards.mlir.tmp.mlir:6002:1: error: {{.*}}
