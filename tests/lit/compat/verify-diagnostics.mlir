// With `--compat=xdsl`, `--verify-diagnostics` prints a verifier's error as output.
// RUN: passel-opt --compat=xdsl %s --verify-diagnostics | FileCheck %s
// RUN: not xdsl-opt %s 2>&1 | FileCheck %s
// RUN: not passel-opt --compat=xdsl %s 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: Operation does not verify
// ERROR: Operation does not verify
// ERROR-NOT: Traceback
%a = "test.op"() : () -> i32
%b = "test.op"() : () -> i64
%c = "arith.addi"(%a, %b) : (i32, i64) -> i32
