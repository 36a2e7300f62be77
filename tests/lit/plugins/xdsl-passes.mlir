// A plugin may hold xDSL passes; nested on functions, they see one at a time.
// RUN: passel-opt %s --load-pass-plugin=%inputs/module_passes.py --greet='text="good day"' | FileCheck %s --check-prefix=MODULE
// RUN: passel-opt %s --load-pass-plugin=%inputs/module_passes.py -p 'builtin.module(func.func(greet))' | FileCheck %s

// MODULE: func.func private @a(){{.*}} attributes {greeting = "good day"}
// MODULE: "test.op"() {greeting = "good day"} : () -> ()
// CHECK: func.func private @a(){{.*}} attributes {greeting = "hello"}
// CHECK: "test.op"() : () -> ()
func.func private @a()
"test.op"() : () -> ()
