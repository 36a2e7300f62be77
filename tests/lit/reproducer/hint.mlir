// Without a reproducer, one line says how the failure can be replayed.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'any(func.func(fail))' 2>&1 | FileCheck %s
// RUN: not passel-opt --load-pass-plugin=%inputs/passes.py --fail < %s 2>&1 | FileCheck %s --check-prefix=STDIN
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --fail --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty

// CHECK: passel-opt: note: to replay: passel-opt {{.*}}hint.mlir --load-pass-plugin={{.*}}passes.py -p 'any(func.func(fail))'
// CHECK-NOT: to replay
// STDIN: passel-opt: note: to write a reproducer of this run, add --mlir-pass-pipeline-crash-reproducer=repro.mlir
// QUIET-NOT: replay
// expected-error @below {{'func.func' op pass 'fail' failed}}
func.func @bad() { return }
