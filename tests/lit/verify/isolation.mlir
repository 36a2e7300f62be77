// A pass that changes anything outside of its op fails; with --check-isolation the very pass and op are named.

// RUN: not passel-opt %s --load-pass-plugin=%inputs/meddler.py -p 'builtin.module(func.func(look,meddle))' 2>&1 | FileCheck %s --check-prefix=SIBLING
// RUN: not passel-opt %s --load-pass-plugin=%inputs/meddler.py -p 'builtin.module(func.func(look,meddle{victim=a}))' --record=%t 2>&1 | FileCheck %s --check-prefix=EARLIER
// RUN: not passel-bisect %t 2>&1 | FileCheck %s --check-prefix=BISECT
// RUN: not passel-opt %s --load-pass-plugin=%inputs/meddler.py -p 'builtin.module(func.func(sign))' 2>&1 | FileCheck %s --check-prefix=AROUND
// RUN: not passel-opt %s --load-pass-plugin=%inputs/meddler.py -p 'builtin.module(func.func(look,meddle,look))' --check-isolation 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: passel-opt %s --load-pass-plugin=%inputs/meddler.py -p 'builtin.module(func.func(look,look))' --check-isolation | FileCheck %s

// SIBLING: isolation.mlir:{{[0-9]+}}:1: error: 'func.func' op was changed by a pass on a sibling op; only a pass on the enclosing op may do that
// SIBLING: note: after passes 'look', 'meddle' [builtin.module]
// SIBLING-NOT: error

// EARLIER: isolation.mlir:{{[0-9]+}}:1: error: 'func.func' op was changed by a pass on a sibling op
// EARLIER: note: after passes 'look', 'meddle{victim=a}' [builtin.module]
// EARLIER-NOT: error
// BISECT: error: the record does not contain the pass that failed on 'func.func' @a: 'func.func' op was changed by a pass

// AROUND: error: 'builtin.module' op was changed by a pass on a nested op; a pass may change only the op that it runs on
// AROUND: note: after pass 'sign' [builtin.module/func.func/0:sign]

// EXACT: error: 'func.func' op was changed by a pass on a sibling op
// EXACT: note: after pass 'meddle' on 'func.func' @a [builtin.module/func.func/1:meddle]
// EXACT-NOT: error

// CHECK: func.func @a
func.func @a() { func.return }
func.func @b() { func.return }
