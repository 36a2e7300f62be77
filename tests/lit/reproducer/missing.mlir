// An input that records nothing is no error: nothing runs but passes given as flags.
// RUN: passel-opt --load-pass-plugin=%inputs/passes.py --run-reproducer %s | FileCheck %s
// RUN: passel-opt --load-pass-plugin=%inputs/passes.py --run-reproducer %s --mark | FileCheck %s --check-prefix=MARK

// CHECK: func.func @f() {
// MARK: func.func @f() attributes {seen = 1 : i32} {
func.func @f() { return }
