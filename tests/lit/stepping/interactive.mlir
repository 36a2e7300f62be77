// A prompt runs passes one by one, goes back, and ends with the IR as it is.

// RUN: printf 'step\ndiff @f\nbookmark here\nrun\nprint @f\nrewind here\napply func.func(dce)\nquit\n' > %t
// RUN: passel-opt %s -p "builtin.module(func.func(cse,canonicalize))" --interactive < %t 2>%t.err | filecheck %s
// RUN: filecheck %s --input-file=%t.err --check-prefix=SAID

// CHECK: func.func @f
// CHECK-NEXT: arith.addi
// CHECK-NEXT: arith.constant
// CHECK-NEXT: arith.addi
// CHECK-NEXT: return

// SAID: builtin.module/func.func/0:cse
// SAID: (start) changed; 1 {{.*}}
// SAID: (after 0:cse) --- before
// SAID: -  %1 = arith.addi
// SAID: (after 0:cse) (after 0:cse) changed; 0 {{.*}}
// SAID: (after 1:canonicalize) func.func @f
// SAID-NEXT: arith.addi
// SAID-NEXT: return
// SAID: (after 1:canonicalize) (after 0:cse) nothing changed

// RUN: printf 'setp\nstep x\nrun cse\nrun cse\nrun dce\nrun canonicalize@f\nstep 0\nbookmark b1\nrewind a\nhelp rewind\n\n' > %t.wrong
// RUN: passel-opt %s -p "builtin.module(func.func(cse,canonicalize))" --interactive < %t.wrong 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: error: there is no command 'setp'; type help for those there are
// WRONG: error: step takes a number from 1 on, not 'x'
// WRONG: error: no pass is at 'dce'
// WRONG: error: a session cannot stop on @f alone, only when a pass has run on all ops; passel-opt --stop-after=canonicalize@f can
// WRONG: error: step takes a number from 1 on, not '0'
// WRONG: error: no pass is at 'a'
// WRONG: bookmarks: b1
// WRONG: `rewind [place]`: go back to a place

// `sys.exit` in a pass ends the pass alone. Locations are kept.
// RUN: printf 'apply func.func(exits)\nrun\nquit\n' > %t.exit
// RUN: passel-opt %s --load-pass-plugin=%inputs/exits.py -p "builtin.module(func.func(cse))" --interactive --mlir-print-debuginfo < %t.exit 2>/dev/null > %t.out
// RUN: passel-opt %s -p "builtin.module(func.func(cse))" --mlir-print-debuginfo | diff %t.out -
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %c = arith.constant 0 : i32
  %2 = arith.addi %0, %c : i32
  return %2 : i32
}
