// RUN: passel-opt %s -p 'builtin.module(gpu.module(cse,gpu.func(dce)),any(cse))' -o /dev/null 2>&1 | FileCheck %s
// RUN: passel-opt %s -p 'builtin.module(gpu.module(cse))' --mlir-diagnostic-verbosity-level=warnings -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

// All parts count: the first has a function, the second a module.
// RUN: passel-opt %s --split-input-file -p 'builtin.module(func.func(cse),builtin.module(cse))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

// CHECK: passel-opt: remark: nested pipeline did not run on any op: builtin.module(gpu.module(cse,gpu.func(dce))){{$}}
// CHECK-NOT: remark
// NONE-NOT: remark

func.func @f() {
  return
}

// -----

builtin.module {
  builtin.module {
  }
}
