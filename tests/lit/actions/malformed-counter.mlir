// A counter that is written otherwise, or that nothing counts, is one error.

// RUN: not passel-opt %s --mlir-debug-counter=pass-execution=1 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not passel-opt %s --mlir-debug-counter=pass-execution-skip=x 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not passel-opt %s --mlir-debug-counter=csee-skip=1 2>&1 | FileCheck %s --check-prefix=NAME

// FORM: passel-opt: error: '--mlir-debug-counter': expected '<counter>-skip=<n>' or '<counter>-count=<n>', got 'pass-execution=1'
// NUMBER: passel-opt: error: '--mlir-debug-counter': expected a number for 'pass-execution-skip', got 'x'
// NAME: passel-opt: error: '--mlir-debug-counter': 'csee' is neither 'pass-execution' nor a pass; did you mean 'cse'?

func.func @f() {
  return
}
