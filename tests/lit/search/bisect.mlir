// The execution of a pass that broke it is found in a record, and the rewrite in it.

// RUN: passel-opt %s --load-pass-plugin=%inputs/wrong_fold.py -p "builtin.module(func.func(cse,wrong-fold,canonicalize))" --record="%t 1.passel" -o /dev/null
// RUN: passel-bisect "%t 1.passel" --computes-else --inside -o %t.mlir 2>%t.err | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=SAID

// CHECK: wrong-fold on func.func @g  [builtin.module/func.func/1:wrong-fold]
// CHECK-NEXT: rewrite 1 of 1: Larger on arith.constant at {{.*}}bisect.mlir:[[#]]:8

// SAID: BISECT: the last state: interesting
// SAID-NEXT: BISECT: the first state: not interesting
// SAID: @g before: ([[ARGUMENT:-?[0-9]+]]) -> ({{-?[0-9]+}})
// SAID-NEXT: @g after:  ([[ARGUMENT]]) -> ({{-?[0-9]+}})
// SAID-NEXT: {{[0-9]+}} checks
// SAID-NEXT: to see the change: passel-report '{{.*}} 1.passel' --step=builtin.module/func.func/1:wrong-fold --op=@g --diff
// SAID-NEXT: to replay: passel-opt --run-reproducer --load-pass-plugin={{.*}}wrong_fold.py {{.*}}.mlir

// The reproducer is the IR before the pass, and the pass.
// RUN: passel-opt --run-reproducer --load-pass-plugin=%inputs/wrong_fold.py %t.mlir | FileCheck %s --check-prefix=REPLAYED
// REPLAYED: arith.constant 8

// A command says what is interesting by its exit code; 125 says that it cannot tell.
// RUN: passel-bisect "%t 1.passel" --interesting="grep -q 'value = 8 : i32'" 2>/dev/null | FileCheck %s --check-prefix=COMMAND
// COMMAND: wrong-fold on func.func @g

func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
func.func @g(%x: i32) -> i32 {
  %c = arith.constant 7 : i32
  %0 = arith.addi %x, %c : i32
  return %0 : i32
}
