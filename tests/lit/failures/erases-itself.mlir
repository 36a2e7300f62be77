// A pass that erases the op that it runs on does no harm to the others.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(func.func(erase-itself,mark),cse)' --verify-each=always | FileCheck %s

// CHECK: builtin.module {
// CHECK-NOT: func.func
// CHECK: "test.op"
func.func private @a()
"test.op"() : () -> ()
func.func private @b()
