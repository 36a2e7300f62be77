// The counters are printed once, after all of the input.

// RUN: passel-opt %s --split-input-file --cse --mlir-debug-counter=pass-execution-skip=1,cse-count=7 --mlir-print-debug-counter 2>&1 > /dev/null | filecheck %s

//      CHECK: DebugCounter counters:
// CHECK-NEXT: cse                             : {1,0,7}
// CHECK-NEXT: pass-execution                  : {2,1,-1}
//  CHECK-NOT: DebugCounter

func.func @f() {
  return
}

// -----

func.func @g() {
  return
}
