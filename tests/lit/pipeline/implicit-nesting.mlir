// A pass flag nests itself under its anchor; a pass for any op stays where it is.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --cse --mark --on-module --dump-pass-pipeline 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=DUMP < %t

// DUMP: builtin.module(
// DUMP-NEXT:   cse,
// DUMP-NEXT:   func.func(
// DUMP-NEXT:     mark
// DUMP-NEXT:   ),
// DUMP-NEXT:   on-module
// DUMP-NEXT: )
// CHECK: func.func @f() attributes {seen = 1 : i32}
func.func @f() {
  return
}
