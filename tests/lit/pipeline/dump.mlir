// The pipeline goes to the error stream with all options, and its text runs again.
// RUN: passel-opt %s -p 'builtin.module(func.func(cse),func.func(canonicalize{max-iterations=3}))' --dump-pass-pipeline 2> %t.dump > %t.first
// RUN: FileCheck %s < %t.dump
// RUN: tail -n +2 %t.dump | xargs -0 passel-opt %s --dump-pass-pipeline -p 2> %t.again > %t.second
// RUN: diff %t.dump %t.again
// RUN: diff %t.first %t.second

// CHECK:      Pass Manager with 2 passes:
// CHECK-NEXT: builtin.module(
// CHECK-NEXT:   func.func(
// CHECK-NEXT:     cse
// CHECK-NEXT:   ),
// CHECK-NEXT:   func.func(
// CHECK-NEXT:     canonicalize{{{.*}}max-iterations=3{{.*}}}
// CHECK-NEXT:   )
// CHECK-NEXT: )
func.func @f() {
  return
}
