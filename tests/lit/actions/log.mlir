// Each execution is logged as mlir-opt logs it; the IR alone goes to the standard output.

// RUN: passel-opt %s -p "builtin.module(func.func(cse))" --log-actions-to=%t > %t.out
// RUN: FileCheck %s --input-file %t
// RUN: FileCheck %s --input-file %t.out --check-prefix=IR
// RUN: passel-opt %s -p "builtin.module(func.func(cse))" --log-actions-to=- 2>&1 > /dev/null | FileCheck %s

//      CHECK: begins (no breakpoint) Action `pass-execution` running `mlir::detail::OpToOpPassAdaptor` on Operation `builtin.module` (builtin.module {...})`
// CHECK-NEXT: begins (no breakpoint) Action `pass-execution` running `CSE` on Operation `func.func` (func.func @f() {...})`
// CHECK-NEXT: completed `pass-execution`
// CHECK-NEXT: completed `pass-execution`
// IR-NOT: Action
// IR: func.func @f

func.func @f() {
  return
}
