// Input that does not verify is refused before any pass runs.
// RUN: not passel-opt %s --cse --mlir-print-ir-after-all 2> %t > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t
// RUN: passel-opt %s --disable-verify | FileCheck %s --check-prefix=UNSEEN
// RUN: passel-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --symbol-dce | FileCheck %s --check-prefix=UNSEEN
// RUN: passel-opt %s --disable-verify -p "builtin.module(dce)" --record=%t.passel | FileCheck %s --check-prefix=GONE
// RUN: passel-bisect %t.passel --interesting="sh -c '! grep -q arith.addi {}'" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REPLAY
// RUN: passel-opt --run-reproducer --disable-verify %t.mlir | FileCheck %s --check-prefix=GONE

// GONE: test.op
// GONE-NOT: arith.addi
// REPLAY: to replay: passel-opt --run-reproducer --disable-verify {{.*}}
// CHECK-NOT: IR Dump
// CHECK: input.mlir:[[#]]:6: error: 'arith.addi' op
// CHECK-NOT: IR Dump
// UNSEEN: arith.addi
%a = "test.op"() : () -> i32
%b = "test.op"() : () -> i64
%c = "arith.addi"(%a, %b) : (i32, i64) -> i32
