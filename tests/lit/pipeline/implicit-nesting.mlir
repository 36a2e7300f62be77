// The flag of a pass, or of a pipeline, nests itself under its anchor; a pass for any op stays where it is.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --cse --mark --on-module --dump-pass-pipeline 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=DUMP < %t
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --load-pass-plugin=%inputs/pipelines.py --mark-functions --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE

// DUMP: builtin.module(
// DUMP-NEXT:   cse,
// DUMP-NEXT:   func.func(
// DUMP-NEXT:     mark
// DUMP-NEXT:   ),
// DUMP-NEXT:   on-module
// DUMP-NEXT: )
// PIPELINE:      builtin.module(
// PIPELINE-NEXT:   func.func(
// PIPELINE-NEXT:     mark
// PIPELINE-NEXT:   )
// CHECK: func.func @f() attributes {seen = 1 : i32}
func.func @f() {
  return
}
