// An input that records nothing is not an error: nothing runs but passes given as flags, as in mlir-opt.
// RUN: passel-opt --load-pass-plugin=%inputs/passes.py --run-reproducer %s 2>&1 | FileCheck %s
// RUN: passel-opt --load-pass-plugin=%inputs/passes.py --run-reproducer %s --mark | FileCheck %s --check-prefix=MARK

// CHECK: func.func @f() {
// MARK: func.func @f() attributes {seen = 1 : i32} {
func.func @f() { return }
