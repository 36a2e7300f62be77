// A run that succeeds writes nothing and leaves an older file alone.
// RUN: rm -f %t.mlir
// RUN: passel-opt %s --cse --mlir-pass-pipeline-crash-reproducer=%t.mlir
// RUN: not ls %t.mlir
// RUN: echo older > %t.mlir
// RUN: passel-opt %s --cse --mlir-pass-pipeline-crash-reproducer=%t.mlir
// RUN: FileCheck %s < %t.mlir

// CHECK: older
func.func @f() { return }
