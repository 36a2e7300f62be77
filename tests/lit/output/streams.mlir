// IR alone goes to the standard output; everything else goes to the error stream.
// RUN: passel-opt %s > %t.plain
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --report --dump-pass-pipeline --time-passes --print-between-passes > %t.busy 2> %t.err
// RUN: diff %t.plain %t.busy
// RUN: FileCheck %s < %t.err

// CHECK: Pass Manager with 1 passes:
// CHECK: remark: hello
// CHECK: IR after report:
// CHECK: Pass builtin.module/0:report took {{[0-9.]+}} seconds
"test.op"() {remark = "hello"} : () -> ()
