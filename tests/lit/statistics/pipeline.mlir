// Statistics are shown like the pipeline, zeros included.
// RUN: passel-opt %s --mlir-diagnostic-verbosity-level=warnings --mlir-pass-statistics --pass-pipeline='builtin.module(builtin.module(cse),func.func(cse,canonicalize),symbol-dce)' 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//      CHECK:===-------------------------------------------------------------------------===
// CHECK-NEXT:                         ... Pass statistics report ...
// CHECK-NEXT:===-------------------------------------------------------------------------===
// CHECK-NEXT:Pipeline Collection : ['builtin.module', 'func.func']
// CHECK-NEXT:  'builtin.module' Pipeline
// CHECK-NEXT:    CSE
// CHECK-NEXT:      (S) 0 num-cse'd - Number of operations CSE'd
// CHECK-NEXT:      (S) 0 num-dce'd - Number of operations DCE'd
// CHECK-NEXT:  'func.func' Pipeline
// CHECK-NEXT:    CSE
// CHECK-NEXT:      (S)  1 num-cse'd - Number of operations CSE'd
// CHECK-NEXT:      (S) 10 num-dce'd - Number of operations DCE'd
// CHECK-NEXT:    Canonicalizer
// CHECK-NEXT:SymbolDCE
// CHECK-NEXT:  (S) 1 num-dce'd - Number of symbols DCE'd
// CHECK-EMPTY:
// CHECK-NOT:{{.}}
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c9 = arith.constant 9 : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func private @unused()
