// A pattern that is none is reported where it stands.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --verify-diagnostics 2>&1 | FileCheck %s

// CHECK: bad-regular-expression.mlir:6:4: error: invalid regex: {{.+}}
// CHECK-NEXT: expected-remark-re
// expected-remark-re {{a {{(}} b}}
