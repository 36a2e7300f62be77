// A target that does not take the IR says so in one line.
// RUN: not passel-opt %s -t riscv-asm 2> %t > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t

// CHECK: target-fails.mlir:0:0: error: target 'riscv-asm' failed in {{.+}}/xdsl/{{.+}}.py:{{[0-9:]+}}: AssertionError
// CHECK-NOT: Traceback
func.func @f() {
  return
}
