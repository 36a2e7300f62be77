// Ops of unknown dialects need to be allowed.
// RUN: not passel-opt %s 2>&1 | FileCheck %s
// RUN: passel-opt %s --allow-unregistered-dialect | FileCheck %s --check-prefix=ALLOWED

// CHECK: unregistered.mlir:8:1: error: operation being parsed with an unregistered dialect. If this is intended, please use -allow-unregistered-dialect
// ALLOWED: "unknown.op"() {a = 1 : i32} : () -> ()

"unknown.op"() {a = 1 : i32} : () -> ()
