// Large constants and resources are left out of dumps and of the result; splats never.
// RUN: passel-opt %s --allow-unregistered-dialect --cse --mlir-print-ir-after-all --mlir-elide-elementsattrs-if-larger=3 --mlir-elide-resource-strings-if-larger=3 2>&1 | FileCheck %s
// RUN: not passel-opt %s --mlir-elide-elementsattrs-if-larger=x 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: IR Dump After CSE
// CHECK: x = dense_resource<__elided__> : tensor<4xi32>, y = dense<1> : tensor<4xi32>, z = dense<[1, 2, 3]>
// CHECK: builtin.module {
// CHECK: x = dense_resource<__elided__> : tensor<4xi32>, y = dense<1> : tensor<4xi32>, z = dense<[1, 2, 3]>
// CHECK-NOT: _resources
// WRONG: error: '--mlir-elide-elementsattrs-if-larger' takes a number, not 'x'
"test.a"() {x = dense<[1, 2, 3, 4]> : tensor<4xi32>, y = dense<1> : tensor<4xi32>, z = dense<[1, 2, 3]> : tensor<3xi32>, r = dense_resource<blob> : tensor<2xi32>} : () -> ()

{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001000000020000000300000004000000"
    }
  },
  external_resources: {
    zoo: {
      animal: "cat"
    }
  }
#-}
