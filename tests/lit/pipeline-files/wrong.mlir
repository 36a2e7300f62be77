// What is wrong in a pipeline file is shown at its place there, and nothing is run.
// RUN: not passel-opt %s -p @%S/Inputs/wrong.yaml 2>&1 | FileCheck %s
// RUN: not passel-opt %s -p @%S/Inputs/nothing.yaml 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK:      wrong.yaml:3:11: error: 'canonicalise' does not refer to a registered pass or pass pipeline; did you mean 'canonicalize'?
// CHECK-NEXT:   - pass: canonicalise
// CHECK-NEXT:           ^~~~~~~~~~~~
// MISSING: passel-opt: error: cannot open pipeline file '{{.*}}nothing.yaml': No such file or directory
func.func @f() {
  return
}
