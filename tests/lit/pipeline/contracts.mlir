// What passes need of each other is checked before anything runs: for want of an analysis it is an error, a wrong order a warning.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/orderly.py -p 'builtin.module(find-facts,func.func(cse),use-facts)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not passel-opt %s --load-pass-plugin=%inputs/orderly.py --use-facts -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: passel-opt %s --load-pass-plugin=%inputs/orderly.py -p 'builtin.module(find-facts,use-facts)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: passel-opt %s --load-pass-plugin=%inputs/orderly.py --use-facts --strong-memref -Wno-contracts -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

// Once, whatever the number of parts and of workers.
// RUN: passel-opt %s --load-pass-plugin=%inputs/orderly.py --split-input-file -j 2 -p 'builtin.module(func.func(strong-memref))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: passel-opt %s --load-pass-plugin=%inputs/orderly.py --split-input-file --ir=mlir -p 'builtin.module(func.func(strong-memref))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: passel-opt %s --load-pass-plugin=%inputs/orderly.py --strong-memref --mlir-diagnostic-verbosity-level=errors -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

// GONE: --pass-pipeline:1:37: error: pass 'cse' [builtin.module/func.func/0:cse] between 'find-facts' [builtin.module/0:find-facts] and 'use-facts' [builtin.module/1:use-facts] does not preserve Facts; {{.*}} (-Wno-contracts skips this)
// GONE-NEXT: builtin.module(find-facts,func.func(cse),use-facts)
// GONE-NEXT: ^~~
// MISSING: passel-opt: error: pass 'use-facts' [builtin.module/0:use-facts] requires Facts, which no pass before it produces; put one before it that does (-Wno-contracts skips this)
// WARN: --pass-pipeline:1:26: warning: 'strong-memref' must run after at least one pass of type 'bufferization' (declared by pass 'strong-memref' at {{.*}}), but there is no pass of type 'bufferization': add one, or leave 'strong-memref' out (-Wno-contracts skips this)
// WARN-NOT: warning
// NONE-NOT: {{error|warning}}

func.func @f() {
  return
}

// -----

func.func @g() {
  return
}
