// Passes are flags, with one dash or two, run in the order given; options follow `=`.
// RUN: passel-opt %s --cse -dce --canonicalize='max-iterations=2 top-down=false' --dump-pass-pipeline 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=DUMP < %t
// RUN: passel-opt --dce --cse '--canonicalize={max-iterations=2 top-down=false}' %s | FileCheck %s

// DUMP: Pass Manager with 3 passes:
// DUMP-NEXT: builtin.module(
// DUMP-NEXT:   cse,
// DUMP-NEXT:   dce,
// DUMP-NEXT:   canonicalize{{{.*}}max-iterations=2{{.*}}top-down=false}
// DUMP-NEXT: )
// CHECK-NOT: arith.constant
func.func @f() {
  %0 = arith.constant 1 : i32
  return
}
