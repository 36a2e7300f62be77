// Input that does not verify is refused before any pass runs.
// RUN: not passel-opt %s --cse --mlir-print-ir-after-all 2> %t > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t
// RUN: passel-opt %s --disable-verify | FileCheck %s --check-prefix=UNSEEN
// RUN: passel-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --symbol-dce | FileCheck %s --check-prefix=UNSEEN
// RUN: passel-opt %s --disable-verify --load-pass-plugin=%inputs/module_passes.py --greet --record=%t.passel | FileCheck %s --check-prefix=GREETED
// RUN: passel-bisect %t.passel --interesting="grep -q greeting" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REPLAY
// RUN: passel-opt --run-reproducer --allow-effects=unknown --load-pass-plugin=%inputs/module_passes.py --disable-verify %t.mlir | FileCheck %s --check-prefix=GREETED
// RUN: not passel-opt %s --disable-verify --load-pass-plugin=%inputs/passes.py -p "builtin.module(dce,crash)" --record=%t.passel
// RUN: not passel-bisect %t.passel 2>&1 | FileCheck %s --check-prefix=CRASHED

// GREETED: greeting
// REPLAY: to replay: passel-opt --run-reproducer --disable-verify --load-pass-plugin={{[^ ]*}} --allow-effects=unknown {{.*}}
// CRASHED: BISECT: the first state: interesting
// CHECK-NOT: IR Dump
// CHECK: input.mlir:[[#]]:6: error: 'arith.addi' op
// CHECK-NOT: IR Dump
// UNSEEN: arith.addi
%a = "test.op"() : () -> i32
%b = "test.op"() : () -> i64
%c = "arith.addi"(%a, %b) : (i32, i64) -> i32
