// Locations are those of the source, or what the source says.
// RUN: passel-opt %s --mlir-print-debuginfo | FileCheck %s
// RUN: passel-opt %s --mlir-print-debuginfo | passel-opt --mlir-print-debuginfo | FileCheck %s
// RUN: passel-opt %s | FileCheck %s --check-prefix=OFF

// OFF-NOT: loc(
// CHECK: "test.op"() : () -> () loc("{{.*}}debuginfo.mlir":8:3)
  "test.op"() : () -> ()
// CHECK: "test.op"() : () -> () loc("elsewhere.c":1:2)
  "test.op"() : () -> () loc("elsewhere.c":1:2)
