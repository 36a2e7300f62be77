// A pass that takes too long fails, with its op named; functions beside it are processed.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/lingers.py -p 'builtin.module(func.func(linger))' --pass-timeout=0.2 2>&1 | filecheck %s
// RUN: not passel-opt %s --load-pass-plugin=%inputs/lingers.py -p 'builtin.module(func.func(linger))' --pass-timeout=0.2 -j 2 2>&1 | filecheck %s
// RUN: passel-opt %s --load-pass-plugin=%inputs/lingers.py -p 'builtin.module(func.func(linger))' --pass-timeout=60 | filecheck %s --check-prefix=ALL
// RUN: not passel-opt %s --pass-timeout=soon 2>&1 | filecheck %s --check-prefix=WRONG

// CHECK: pass_timeout.mlir:10:{{.*}} error: 'func.func' op pass 'linger' failed: it took more than 0.2 s
// ALL-COUNT-2: {seen}
// WRONG: error: '--pass-timeout' takes a positive number of seconds, not 'soon'
func.func @slow() { func.return }
func.func @fast() { func.return }
