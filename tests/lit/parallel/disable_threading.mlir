// Without threading, nothing is processed at the same time, whatever -j and the environment say.
// RUN: passel-opt %s --load-pass-plugin=%inputs/processes.py -p 'builtin.module(func.func(where))' -j 2 | FileCheck %s --check-prefix=SHARED
// RUN: passel-opt %s --load-pass-plugin=%inputs/processes.py -p 'builtin.module(func.func(where))' -j 2 --mlir-disable-threading | FileCheck %s
// RUN: env PASSEL_JOBS=2 passel-opt %s --load-pass-plugin=%inputs/processes.py -p 'builtin.module(func.func(where))' --mlir-disable-threading | FileCheck %s

// SHARED: in = "worker"
// CHECK-NOT: in = "worker"
// CHECK: in = "tool"
// CHECK-NOT: in = "worker"
func.func @f() { func.return }
func.func @g() { func.return }
func.func @h() { func.return }
func.func @i() { func.return }
func.func @j() { func.return }
func.func @k() { func.return }
