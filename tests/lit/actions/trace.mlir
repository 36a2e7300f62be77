// A trace has a slice for each execution, and is valid JSON also if a pass fails.

// RUN: not passel-opt %s -p "builtin.module(func.func(cse,fail{on=f}))" --load-pass-plugin=%inputs/passes.py --profile-actions-to=%t 2> /dev/null
// RUN: %python -m json.tool %t /dev/null
// RUN: FileCheck %s --input-file %t

// CHECK: {"name": "CSE", "cat": "PERF", "ph": "B", "pid": {{.*}}, "tid": {{.*}}, "ts": {{.*}}, "args": {"desc": "`CSE` on 'func.func' operation: @f"}},
// CHECK-NEXT: {"name": "CSE", "cat": "PERF", "ph": "E", "pid": {{.*}}, "tid": {{.*}}, "ts": {{.*}}},
// CHECK-NEXT: {"name": "Fail", "cat": "PERF", "ph": "B"
// CHECK-NEXT: {"name": "Fail", "cat": "PERF", "ph": "E"

func.func @f() {
  return
}
