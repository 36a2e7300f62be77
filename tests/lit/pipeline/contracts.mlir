// What passes require of each other is checked before anything runs.
// RUN: not passel-opt %s --load-pass-plugin=%inputs/orderly.py -p 'builtin.module(find-facts,func.func(cse),use-facts)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not passel-opt %s --load-pass-plugin=%inputs/orderly.py --use-facts -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: passel-opt %s --load-pass-plugin=%inputs/orderly.py -p 'builtin.module(find-facts,use-facts)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

// GONE: --pass-pipeline:1:37: error: pass 'cse' [builtin.module/func.func/0:cse] between 'find-facts' [builtin.module/0:find-facts] and 'use-facts' [builtin.module/1:use-facts] does not claim to preserve Facts; {{.*}} move the pass elsewhere
// GONE-NEXT: builtin.module(find-facts,func.func(cse),use-facts)
// GONE-NEXT: ^~~
// MISSING: passel-opt: error: pass 'use-facts' [builtin.module/0:use-facts] requires Facts, which no earlier pass on the same op or an enclosing op produces; add a pass that produces it
// NONE-NOT: {{error|warning}}

func.func @f() {
  return
}
