// Each part that fails has a file of its own.
// RUN: rm -f %t.mlir %t.1.mlir %t.2.mlir
// RUN: not passel-opt %s --split-input-file --load-pass-plugin=%inputs/passes.py --fail --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FIRST < %t.mlir
// RUN: FileCheck %s --check-prefix=SECOND < %t.1.mlir
// RUN: not ls %t.2.mlir

// CHECK: reproducer generated at `{{.*}}.tmp.mlir`
// CHECK: reproducer generated at `{{.*}}.tmp.1.mlir`
// FIRST: first
// SECOND: second
func.func @bad() attributes {first} { return }
// -----
func.func @good() { return }
// -----
func.func @bad() attributes {second} { return }
