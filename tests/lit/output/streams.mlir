// IR alone goes to the standard output; everything else goes to the error stream.
// RUN: passel-opt %s > %t.plain
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --say-something --dump-pass-pipeline --mlir-timing --mlir-print-ir-after-all > %t.busy 2> %t.err
// RUN: diff %t.plain %t.busy
// RUN: FileCheck %s < %t.err

// CHECK: Pass Manager with 1 passes:
// CHECK: remark: hello
// CHECK: IR Dump After {{.*}}say-something
// CHECK: Execution time report
"test.op"() {remark = "hello"} : () -> ()
