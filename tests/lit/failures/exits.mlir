// A pass that ends the process ends the run: one line names the pass, its op, and the place of the call.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/exits.py -p 'builtin.module(func.func(exits))' > %t.out 2> %t
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s --match-full-lines --implicit-check-not='{{.+}}' < %t

// CHECK: passel-opt: error: {{.*}}exits.mlir:7:1: 'func.func' op pass 'exits' was interrupted by SystemExit [builtin.module/func.func/0:exits on @a]: SystemExit: 3 ({{.*}}exits.py:17:9)
func.func private @a()
