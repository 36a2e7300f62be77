// The op under an error can be left out.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --fail 2>&1 | FileCheck %s
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --fail --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=OFF

// CHECK: note: see current operation:
// OFF: error: 'func.func' op pass 'fail' failed
// OFF-NOT: see current operation
func.func @bad() {
  return
}
