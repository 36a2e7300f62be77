// JSON can be read by any parser, whatever is shown.
// RUN: passel-opt %s --mlir-timing --mlir-output-format=json --pass-pipeline='builtin.module(func.func(cse))' 2> %t.json >/dev/null
// RUN: %python -m json.tool %t.json /dev/null
// RUN: FileCheck %s < %t.json
// RUN: passel-opt %s --mlir-timing --mlir-output-format=json --mlir-timing-display=list --cse 2> %t.json >/dev/null
// RUN: %python -m json.tool %t.json /dev/null
// RUN: FileCheck %s --check-prefix=LIST < %t.json

// CHECK: [
// CHECK-NEXT: {{^}}{"user": {"duration": {{ *[0-9.]+, "percentage": *[0-9.]+}}}, "wall": {"duration": {{ *[0-9.]+, "percentage": *[0-9.]+}}}, "name": "Parser", "passes": [
// CHECK-NEXT: {{^\{\}\]\},$}}
// CHECK-NEXT: "name": "'func.func' Pipeline", "passes": [
// CHECK-NEXT: {{^}}  {"user": {{.*}}, "name": "CSE", "passes": [
// CHECK-NEXT: {{^  \{\}\]\},$}}
// CHECK: "name": "Total"}
// CHECK-NEXT: {{^\]$}}
// LIST: {"user": {"duration": {{.*}}}, "name": "root"},
func.func @f() {
  return
}
