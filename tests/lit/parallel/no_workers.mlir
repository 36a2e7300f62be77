// Workers that are asked for, and cannot have MLIR's ops, are said to be none, once; native passes have MLIR's threads instead.
// RUN: passel-opt %s --ir=mlir --split-input-file --load-pass-plugin=%inputs/local.py -p 'builtin.module(func.func(local))' -j 2 2>&1 | FileCheck %s
// RUN: passel-opt %s --ir=mlir --split-input-file -p 'builtin.module(func.func(cse))' -j 2 2>&1 | FileCheck %s --check-prefix=SILENT

// CHECK: not using worker processes: the adapter for 'mlir' does not implement SendsOps
// CHECK-NOT: not using worker processes
// SILENT-NOT: not using worker processes
func.func @a() { func.return }
func.func @b() { func.return }
// -----
func.func @c() { func.return }
func.func @d() { func.return }
