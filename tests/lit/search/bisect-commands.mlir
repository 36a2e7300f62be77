// A command that cannot be run, or is ended, is no answer; how it ended is said.

// RUN: passel-opt %s -p "builtin.module(func.func(dce))" --record=%t.passel -o /dev/null
// RUN: not passel-bisect %t.passel --interesting="sh -c 'no-such-program {}'" 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: BISECT: the last state: unknown
// TYPO-NEXT: error: the IR after the last pass cannot be checked: the command exits with 127, and prints:
// TYPO-NEXT: no-such-program
// RUN: not passel-bisect %t.passel --interesting="sh -c 'kill -9 $$'" 2>&1 | FileCheck %s --check-prefix=KILLED
// KILLED: error: the IR after the last pass cannot be checked: the command was killed by SIGKILL
// RUN: not passel-bisect %t.passel --interesting="sh -c 'exit 139'" 2>&1 | FileCheck %s --check-prefix=CRASHED
// CRASHED: error: the IR after the last pass cannot be checked: the command exits with 139
// RUN: not passel-bisect %t.passel --interesting="sh -c 'sleep 9'" --timeout=0.2 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: the IR after the last pass cannot be checked: the command takes longer than 0.2 s
// RUN: not passel-bisect %t.passel --interesting="sh -c 'exit 125'" 2>&1 | FileCheck %s --check-prefix=CANNOT
// CANNOT: error: the IR after the last pass cannot be checked: the command exits with 125
// RUN: not passel-bisect %t.passel --interesting="sh -c 'echo why >&2; exit 3'" 2>&1 | FileCheck %s --check-prefix=DULL
// DULL: error: the IR after the last pass is not interesting: the command exits with 3, and prints:
// DULL-NEXT: why
// RUN: not passel-bisect %t.passel --interesting="true" 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: the IR before any pass has run is already interesting, so no pass is the cause: the command exits with 0

func.func @f() {
  %0 = arith.constant 1 : i32
  return
}
