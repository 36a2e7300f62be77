// A pass that erases the op that it runs on fails, no later pass runs on that op, and the others are processed.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(func.func(erase-itself,mark),cse)' --verify-each=always > %t.out 2> %t
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t

// CHECK: error: 'func.func' op pass 'erase-itself' erased or moved the op that it ran on; only a pass on the enclosing op may do that
// CHECK: note: on 'func.func' @a [builtin.module/func.func/0:erase-itself]
// CHECK: error: 'func.func' op pass 'erase-itself' erased or moved
// CHECK-NOT: error
func.func private @a()
"test.op"() : () -> ()
func.func private @b()
