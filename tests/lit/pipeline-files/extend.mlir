// `--extend-pipeline` lets extensions, of plugins and installed packages, add to the pipeline that is given.
// RUN: passel-opt %s --load-pass-plugin=%S/Inputs/extension.py --extend-pipeline -p cse,convert-scf-to-cf --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s
// RUN: passel-opt %s --load-pass-plugin=%S/Inputs/extension.py --extend-pipeline --cse --convert-scf-to-cf --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s
// RUN: passel-opt %s --load-pass-plugin=%S/Inputs/extension.py -p cse,convert-scf-to-cf --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=ALONE
// RUN: passel-opt %s --load-pass-plugin=%S/Inputs/extension.py --extend-pipeline -p 'builtin.module(cse,convert-scf-to-cf)' --ir=mlir --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s

// CHECK: cse,
// CHECK-NEXT: canonicalize
// CHECK-NEXT: convert-scf-to-cf

// ALONE: cse,
// ALONE-NEXT: convert-scf-to-cf

// What an extension cannot do is an error that names it.
// RUN: not passel-opt %s --load-pass-plugin=%S/Inputs/extension.py --extend-pipeline -p cse 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: extension '{{.*}}tidy_before_conversion': there is no pass of type 'conversion'

func.func @f() {
  func.return
}
