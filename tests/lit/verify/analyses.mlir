// A pass that states that it preserves an analysis, but changed what it counts, is found out.

// RUN: passel-opt %s --load-pass-plugin=%S/../Inputs/liar.py -p "builtin.module(func.func(liar))" | FileCheck %s
// RUN: not passel-opt %s --load-pass-plugin=%S/../Inputs/liar.py -p "builtin.module(func.func(liar))" --verify-analyses 2>&1 | FileCheck %s --check-prefix=FOUND

// CHECK: func.func @f
// FOUND: error: 'func.func' op pass 'liar' failed: it changed Count{{.*}}, which it claims to preserve

func.func @f() {
  func.return
}
