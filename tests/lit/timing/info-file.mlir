// Reports are added to a file; one that cannot be written is said at once.
// RUN: rm -f %t.info
// RUN: passel-opt %s --mlir-timing --mlir-pass-statistics --info-output-file=%t.info --cse 2> %t.err >/dev/null
// RUN: passel-opt %s --mlir-timing --info-output-file=%t.info --cse 2>> %t.err >/dev/null
// RUN: diff /dev/null %t.err
// RUN: FileCheck %s < %t.info
// RUN: not passel-opt %s --mlir-timing --info-output-file=%t/no/such/folder 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: Pass statistics report
// CHECK: Execution time report
// CHECK: Execution time report
// CHECK-NOT: report
// ERROR: {{^}}passel-opt: error: cannot write to info file '{{.*}}/no/such/folder': No such file or directory
// ERROR-NOT: {{.}}
func.func @f() {
  return
}
