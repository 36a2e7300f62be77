// A trace has a slice for each execution, and is valid JSON also if a pass fails.

// RUN: passel-opt %s -p "builtin.module(func.func(cse))" --profile-actions-to=%t -o /dev/null
// RUN: %python -m json.tool %t /dev/null
// RUN: FileCheck %s --input-file %t
// RUN: not passel-opt %s -p "builtin.module(func.func(fail{on=f}))" --load-pass-plugin=%inputs/passes.py --profile-actions-to=%t.failed 2> /dev/null
// RUN: %python -m json.tool %t.failed /dev/null
// RUN: FileCheck %s --input-file %t.failed --check-prefix=FAILED

// CHECK: "ph": "B"{{.*}} "name": "Parser"
// CHECK: "ph": "B"{{.*}} "name": "'func.func' Pipeline @f"
// CHECK: "ph": "B"{{.*}} "name": "cse @f"{{.*}}"path": "builtin.module/func.func/0:cse", "op": "func.func"
// CHECK: "ph": "E"{{.*}} "args": {"changed": false}
// FAILED: "ph": "E"{{.*}} "args": {"failed": true, "kind": "failed"

func.func @f() {
  return
}
