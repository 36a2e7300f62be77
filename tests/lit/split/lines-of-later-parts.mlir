// Locations and diagnostics of later parts count the lines of the whole file.
// RUN: passel-opt %s --split-input-file --load-pass-plugin=%inputs/passes.py --say-something --mlir-print-debuginfo 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK: lines-of-later-parts.mlir:12:1: remark: first
// REMARK: lines-of-later-parts.mlir:15:3: remark: second
// REMARK-NEXT: {{^}}  "test.op"() {{.*}}second
// CHECK: "test.op"() {{.*}} loc("{{.*}}lines-of-later-parts.mlir":12:1)
// CHECK: // {{-----}}
// CHECK: "test.op"() {{.*}} loc("{{.*}}lines-of-later-parts.mlir":15:3)

"test.op"() {remark = "first"} : () -> ()
// -----

  "test.op"() {remark = "second"} : () -> ()
