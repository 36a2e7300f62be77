// Each error says what is wrong and what would help.

// RUN: passel-opt %s -p "builtin.module(cse,dce)" --record=%t.passel -o /dev/null
// RUN: not passel-bisect %t.passel 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --load-pass-plugin=%inputs/runs_pipeline.py -p 'builtin.module(runs-pipeline{pipeline=builtin.module(func.func(fail{on=f}))})' --record=%t.tolerated -o /dev/null 2>/dev/null
// RUN: not passel-bisect %t.tolerated 2>&1 | FileCheck %s --check-prefix=FINE
// FINE: passel-bisect: error: the run did not fail: specify what is interesting with --interesting=<command>, --invalid or --computes-else
// RUN: not passel-bisect %t.passel --invalid 2>&1 | FileCheck %s --check-prefix=UNCHANGED
// UNCHANGED: passel-bisect: error: no pass changed anything in this run
// RUN: not passel-opt %s --load-pass-plugin=%inputs/passes.py -p 'builtin.module(func.func(fail{on=f}))' --record=%t.own -o /dev/null
// RUN: not passel-bisect %t.own 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: no pass is the cause: PassFailure in builtin.module/func.func/fail: {{.*}}; to reduce the input, use passel-reduce
// RUN: printf 'func.func private @f()\n// -----\nfunc.func private @bad()' > %t.split
// RUN: not passel-opt %t.split --split-input-file --load-pass-plugin=%inputs/passes.py -p 'builtin.module(func.func(fail))' --record=%t.parts -o /dev/null
// RUN: not passel-bisect %t.parts 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: passel-reduce %t.parts 2>&1 | FileCheck %s --check-prefix=PART
// PART: kept: PassFailure in builtin.module/func.func/fail
// RUN: not passel-bisect %t.passel --invalid -o %t.passel 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: not passel-report %t.passel -o %t.passel 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: error: '-o {{.*}}.passel' would overwrite the record
// RUN: not passel-bisect %t.passel --invalid --run=1 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: passel-bisect: error: '--run=1': the record has no such run; its last run is 0
// RUN: not passel-bisect %t.passel --invalid --computes-else 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: passel-bisect: error: '--invalid' and '--computes-else' are mutually exclusive: give only one
// RUN: not passel-bisect %s 2>&1 | FileCheck %s --check-prefix=NO-RECORD
// NO-RECORD: passel-bisect: error: '{{.*}}bisect-errors.mlir' is not a record of a run; to write one, use passel-opt --record
// RUN: not passel-bisect 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: passel-bisect: error: expected a record: write one with passel-opt --record=<file>
// RUN: not passel-bisect %t.passel -p cse 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: passel-bisect: error: unknown command line argument '-p'
// RUN: not passel-bisect %t.passel --cse 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: passel-bisect: error: '--cse': passel-bisect searches a recorded run, and takes no passes
// RUN: not passel-bisect %t.passel --interesting=./no-such-command 2>&1 | FileCheck %s --check-prefix=COMMAND
// RUN: not passel-bisect %t.passel --interesting="grep 'a" 2>&1 | FileCheck %s --check-prefix=QUOTE
// QUOTE: passel-bisect: error: '--interesting' has no closing quotation
// COMMAND: passel-bisect: error: '--interesting' cannot be run: './no-such-command' is not an executable program
func.func @f() {
  return
}
