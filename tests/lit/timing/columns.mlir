// Columns are chosen by name, and shown in that order.
// RUN: passel-opt %s --mlir-timing --mlir-timing-columns=peak,self,wall,user --cse 2>&1 >/dev/null | FileCheck %s

// CHECK: {{^}}  ---Peak Memory---  ----Self Time----  ----Wall Time----  ----User Time----  ----Name----
// CHECK: {{[0-9]}} MiB  {{.*}}%)  Parser
// CHECK: %)  Rest
func.func @f() {
  return
}
