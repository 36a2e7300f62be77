// Workers that are asked for, and cannot have the passes on MLIR's ops, are said to be none, once; auto asks for nothing.
// RUN: passel-opt %s --ir=mlir --split-input-file --load-pass-plugin=%inputs/local.py -p 'builtin.module(func.func(local))' -j 2 2>&1 | filecheck %s
// RUN: passel-opt %s --ir=mlir --split-input-file --load-pass-plugin=%inputs/local.py -p 'builtin.module(func.func(local))' -j auto 2>&1 | filecheck %s --check-prefix=SILENT
// RUN: passel-opt %s --ir=mlir --split-input-file --load-pass-plugin=%inputs/quiet.py -p 'builtin.module(func.func(quiet))' -j 2 2>&1 | filecheck %s --check-prefix=SILENT
// RUN: passel-opt %s --ir=mlir --split-input-file -p 'builtin.module(func.func(cse))' -j 2 --mlir-timing 2>&1 | filecheck %s --check-prefix=SILENT

// CHECK: no worker processes: pass 'local' runs in one process only
// CHECK-NOT: no worker processes
// SILENT-NOT: no worker processes
func.func @a() { func.return }
func.func @b() { func.return }
// -----
func.func @c() { func.return }
func.func @d() { func.return }
