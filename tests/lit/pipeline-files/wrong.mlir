// What is wrong in a pipeline's file is shown at its place there, and nothing is run.
// RUN: not passel-opt %s -p @%S/Inputs/wrong.yaml 2>&1 | FileCheck %s
// RUN: not passel-opt %s -p @%S/Inputs/nothing.yaml 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not passel-opt %s -p @%S/Inputs/levels.yaml --pipeline-variable round=3 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not passel-opt %s -p @%S/Inputs/levels.yaml --pipeline-variable rounds 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not passel-opt %s -p @ 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not passel-opt %s -p cse --pipeline-variable rounds=3 2>&1 | FileCheck %s --check-prefix=ALONE

// CHECK:      wrong.yaml:3:11: error: 'canonicalise' does not refer to a registered pass or pass pipeline; did you mean 'canonicalize'?
// CHECK-NEXT:   - pass: canonicalise
// CHECK-NEXT:           ^~~~~~~~~~~~
// MISSING: passel-opt: error: cannot open pipeline file '{{.*}}nothing.yaml': No such file or directory
// NAME:    passel-opt: error: '{{.*}}levels.yaml' has no variable 'round'; did you mean 'rounds'?
// FORM:    passel-opt: error: '--pipeline-variable' takes a name and a value such as n=3, not 'rounds'
// EMPTY:   passel-opt: error: '-p @' names no file; write -p @pipeline.yaml
// ALONE:   passel-opt: error: '--pipeline-variable' is for a pipeline in a file: -p @pipeline.yaml
func.func @f() {
  return
}
