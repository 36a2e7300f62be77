// What passes require of each other is checked before anything runs.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/contracts.py -p 'builtin.module(generate,func.func(cse),materialize)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not passel-opt %s --load-pass-plugin=%inputs/contracts.py --materialize -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: passel-opt %s --load-pass-plugin=%inputs/contracts.py -p 'builtin.module(generate,materialize)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

// GONE: --pass-pipeline:1:35: error: pass 'cse' [builtin.module/func.func/0:cse] between 'generate' [builtin.module/0:generate] and 'materialize' [builtin.module/1:materialize] does not claim to preserve Schedule; {{.*}} move the pass elsewhere
// GONE-NEXT: builtin.module(generate,func.func(cse),materialize)
// GONE-NEXT: ^~~
// MISSING: passel-opt: error: pass 'materialize' [builtin.module/0:materialize] requires Schedule, which no earlier pass on the same op or an enclosing op produces; add a pass that produces it
// NONE-NOT: {{error|warning}}

func.func @f() {
  return
}
