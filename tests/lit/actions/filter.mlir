// Only what runs on the op at the place is logged.

// RUN: passel-opt %s -p "builtin.module(func.func(cse))" --log-actions-to=%t --log-mlir-actions-filter=%s:15 -o /dev/null
// RUN: filecheck %s --input-file %t

// CHECK-NOT: OpToOpPassAdaptor
// CHECK: begins {{.*}} running `CSE` {{.*}}func.func @g()
// CHECK-NEXT: completed
// CHECK-NOT: begins

func.func @f() {
  return
}

func.func @g() {
  return
}
