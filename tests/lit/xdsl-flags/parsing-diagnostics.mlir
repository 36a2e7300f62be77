// `--parsing-diagnostics` makes parse errors output.
// RUN: passel-opt %s --parsing-diagnostics | FileCheck %s

// CHECK: parsing-diagnostics.mlir:7:1
// CHECK: Dialect `nonsense' not found

nonsense.op
