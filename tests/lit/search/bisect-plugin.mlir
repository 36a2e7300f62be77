// A plugin may have moved since the run: the error names it and the flag that helps.

// RUN: rm -rf %t && mkdir -p %t/old %t/new
// RUN: cp %inputs/wrong_fold.py %t/old
// RUN: passel-opt %s --load-pass-plugin=%t/old/wrong_fold.py -p "builtin.module(func.func(wrong-fold))" --record=%t/run.passel -o /dev/null
// RUN: mv %t/old/wrong_fold.py %t/new && echo 'import sys; print("loaded", file=sys.stderr)' >> %t/new/wrong_fold.py
// RUN: not passel-bisect %t/run.passel --computes-else 2>&1 | FileCheck %s --check-prefix=MOVED
// RUN: passel-bisect %t/run.passel --computes-else --inside --load-pass-plugin=%t/new/wrong_fold.py -o %t/before.mlir 2>%t/err | FileCheck %s --check-prefix=FOUND
// RUN: FileCheck %s --check-prefix=REPLAY --input-file=%t/err
// MOVED: passel-bisect: error: the record refers to plugin '{{.*}}/old/wrong_fold.py', which does not exist; if the file has moved, add --load-pass-plugin=<new path>
// REPLAY: loaded
// REPLAY-NOT: loaded
// REPLAY: to replay: passel-opt --run-reproducer --load-pass-plugin={{.*}}/new/wrong_fold.py {{.*}}before.mlir
// FOUND: wrong-fold on func.func @g
// FOUND-NEXT: rewrite 1 of 1: Larger on arith.constant

// The reproducer is in custom form, without locations.
// RUN: FileCheck %s --check-prefix=BEFORE --input-file=%t/before.mlir
// BEFORE: {{^}}  func.func @g(%x: i32) -> i32 {
// BEFORE-NEXT: {{^}}    %c = arith.constant 7 : i32{{$}}

// After the bug is mended, the pass no longer does what is recorded.
// RUN: sed -i 's/value == IntegerAttr(7/value == IntegerAttr(99/' %t/new/wrong_fold.py
// RUN: passel-bisect %t/run.passel --computes-else --inside --load-pass-plugin=%t/new/wrong_fold.py 2>/dev/null | FileCheck %s --check-prefix=MENDED
// MENDED: wrong-fold on func.func @g
// MENDED-NEXT: the pass does not make the IR interesting when it runs again on its op alone: the pass has changed since the run, or depends on IR outside its op

func.func @g(%x: i32) -> i32 {
  %c = arith.constant 7 : i32
  %0 = arith.addi %x, %c : i32
  return %0 : i32
}
