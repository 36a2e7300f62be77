// A pass that does not end in time is a failure.

// RUN: passel-reduce %s --load-pass-plugin=%inputs/lingers.py -p 'builtin.module(func.func(linger))' --timeout=0.2 2>&1 | FileCheck %s
// CHECK:      func.func @slow()
// CHECK:      passel-reduce: kept: timeout in builtin.module/func.func/linger
func.func @slow() { return }
