// A wrong result is what the pipeline makes of a function, in xDSL's interpreter.

// RUN: passel-reduce %s --load-pass-plugin=%inputs/wrong_fold.py -p "builtin.module(func.func(cse,wrong-fold,dce))" --computes-else 2>/dev/null | FileCheck %s
// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @main() -> i32 {
// CHECK-NEXT:     [[SEVEN:%.*]] = arith.constant 7 : i32
// CHECK-NEXT:     func.return [[SEVEN]] : i32
// CHECK:      pipeline: "builtin.module(func.func(wrong-fold))"

// RUN: not passel-reduce %s --cse --computes-else 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: error: the input in generic form is not interesting: the functions compute the same results, but some cannot run: 1 of 2: @calls ({{.*}} named ext)
// RUN: not passel-reduce %s --cse --computes-else=@calls 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS: error: the input cannot be checked: no function of the IR can run: @calls ({{.*}} named ext)
// RUN: not passel-reduce %s --cse --computes-else=@man 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: error: the input cannot be checked: no function of the IR can run: @man ({{.*}}; did you mean '@main'?)
// RUN: not passel-reduce %s --computes-else 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: there is nothing to run: give a pipeline
// RUN: not passel-reduce %s --cse --computes-else --interesting=true 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: '--interesting' and '--computes-else' are mutually exclusive

func.func private @ext(i32) -> i32
func.func @calls(%x: i32) -> i32 {
  %0 = func.call @ext(%x) : (i32) -> i32
  return %0 : i32
}
func.func @main(%x: i32) -> i32 {
  %c = arith.constant 7 : i32
  %0 = arith.addi %x, %c : i32
  return %0 : i32
}
