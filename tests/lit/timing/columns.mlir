// Columns are chosen by name, and shown in that order.
// RUN: passel-opt %s --mlir-timing --mlir-timing-columns=self,wall,user --cse 2>&1 >/dev/null | FileCheck %s

// CHECK: {{^}}  ----Self Time----  ----Wall Time----  ----User Time----  ----Name----
// CHECK: %)  Parser
// CHECK: %)  Rest
func.func @f() {
  return
}
