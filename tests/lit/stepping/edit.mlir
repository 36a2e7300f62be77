// The IR after a pass is opened in an editor; the passes behind run on what comes back.

// RUN: env EDITOR="sed -i s/muli/subi/" passel-opt %s -p "builtin.module(func.func(cse,canonicalize))" --edit-ir-after=cse | filecheck %s
// CHECK: func.func @f
// CHECK-NEXT: arith.subi %a, %a

// What is not valid shows where; without a terminal to ask, the file is kept.
// RUN: not env EDITOR="sed -i s/muli/mull/" passel-opt %s -p "builtin.module(func.func(cse,canonicalize))" --edit-ir-after=cse 2>&1 < /dev/null | filecheck %s --check-prefix=WRONG
// WRONG: after-cse.mlir:3:10: error: custom op 'arith.mull' is unknown; did you mean 'arith.muli'?
// WRONG-NEXT: %0 = arith.mull
// WRONG-NEXT: ^
// WRONG: passel-opt: error: the edited IR is not valid; it is kept in {{.*}}after-cse.mlir

// RUN: not env EDITOR=false passel-opt %s -p "builtin.module(func.func(cse))" --edit-ir-after=cse 2>&1 | filecheck %s --check-prefix=EXIT
// EXIT: passel-opt: error: the editor 'false' exited with 1; the IR is kept in {{.*}}after-cse.mlir

// RUN: not env EDITOR=no-such-editor passel-opt %s -p "builtin.module(func.func(cse))" --edit-ir-after=cse 2>&1 | filecheck %s --check-prefix=MISSING
// MISSING: passel-opt: error: cannot start the editor 'no-such-editor': No such file or directory; set $EDITOR to another (the IR is in {{.*}}after-cse.mlir)
func.func @f(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}
