// A list has each pass once, with sums; passes that count nothing are not in it.
// RUN: passel-opt %s --mlir-pass-statistics --mlir-pass-statistics-display=list --pass-pipeline='builtin.module(symbol-dce,func.func(canonicalize,cse),cse)' 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//      CHECK:  CSE
// CHECK-NEXT:    (S) 0 num-cse'd - Number of operations CSE'd
// CHECK-NEXT:    (S) 0 num-dce'd - Number of operations DCE'd
// CHECK-NEXT:  SymbolDCE
// CHECK-NEXT:    (S) 1 num-dce'd - Number of symbols DCE'd
// CHECK-EMPTY:
func.func private @unused()
