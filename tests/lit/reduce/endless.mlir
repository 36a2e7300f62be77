// A pass that does not end in time is a failure, and a record brings its plugins and its deadline along.

// RUN: passel-reduce %s --load-pass-plugin=%inputs/lingers.py -p 'builtin.module(func.func(linger))' --timeout=0.2 2>&1 | filecheck %s
// CHECK:      func.func private @slow()
// CHECK:      passel-reduce: kept: no end in time in builtin.module/func.func/linger

// RUN: not passel-opt %s --load-pass-plugin=%inputs/lingers.py -p 'builtin.module(func.func(linger))' --pass-timeout=0.2 --record=%t.passel 2>/dev/null
// RUN: passel-reduce %t.passel 2>&1 | filecheck %s --check-prefix=RECORD
// RECORD:      func.func private @slow()
// RECORD:      kept: PassFailure in builtin.module/func.func/linger: it took more than
// RECORD:      to replay: passel-opt --run-reproducer --load-pass-plugin={{.*}}lingers.py --pass-timeout=0.2 FILE

// RUN: not passel-bisect %t.passel 2>&1 | filecheck %s --check-prefix=BISECT
// BISECT: error: no pass has changed anything before it failed: passel-reduce makes the input small
func.func @slow() { return }
