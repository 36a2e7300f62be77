// JSON has each pass that counts, by its path.
// RUN: passel-opt %s --mlir-pass-statistics --mlir-pass-statistics-display=json --pass-pipeline='builtin.module(canonicalize,symbol-dce)' 2> %t.json >/dev/null
// RUN: %python -m json.tool %t.json /dev/null
// RUN: FileCheck %s < %t.json

// CHECK: "path": "builtin.module/1:symbol-dce",
// CHECK-NEXT: "name": "symbol-dce",
// CHECK-NEXT: "display_name": "SymbolDCE",
// CHECK-NEXT: "statistics": [
// CHECK: "name": "num-dce'd",
// CHECK-NEXT: "value": 1,
// CHECK-NEXT: "description": "Number of symbols DCE'd"
// CHECK-NOT: "path"
func.func private @unused()
