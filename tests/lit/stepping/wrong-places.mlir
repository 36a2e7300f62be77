// A place that does not exist, or that the run does not come to, is one error with the way out.

// RUN: not passel-opt %s --stop-after=cse 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: passel-opt: error: '--stop-after': no pass matches 'cse'; the pipeline has no passes

// RUN: not passel-opt %s -p "builtin.module(func.func(cse),dce,dce)" --stop-after=csee 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: passel-opt: error: '--stop-after': no pass matches 'csee'; did you mean 'cse'?; the passes are:
// TYPO-NEXT: builtin.module/func.func/0:cse

// RUN: not passel-opt %s -p "builtin.module(func.func(cse),dce,dce)" --start-after=dce 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: passel-opt: error: '--start-after': 'dce' matches 2 passes; pick one:
// TWO-NEXT: builtin.module/0:dce
// TWO-NEXT: builtin.module/1:dce

// RUN: not passel-opt %s -p "builtin.module(func.func(cse),dce,dce)" --start-after=0:dce --stop-after=cse 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: passel-opt: error: '--stop-after=builtin.module/func.func/0:cse' comes before '--start-after=builtin.module/0:dce' in the pipeline
// RUN: not passel-opt %s -p "builtin.module(func.func(cse),dce,dce)" --start-after=cse --stop-after=cse@f 2>&1 | FileCheck %s --check-prefix=ON-ONE
// ON-ONE: passel-opt: error: the run did not reach builtin.module/func.func/0:cse@f

// RUN: not passel-opt %s -p "builtin.module(func.func(cse),dce,dce)" --stop-after=cse@g 2>&1 | FileCheck %s --check-prefix=NO-OP
// NO-OP: passel-opt: error: the run did not reach builtin.module/func.func/0:cse@g: the pass did not run on any op named @g

// RUN: passel-opt %s -p "builtin.module(func.func(cse),dce,dce)" --record=%t.record -o /dev/null
// RUN: not passel-opt %t.record --start-after=cse@g 2>&1 | FileCheck %s --check-prefix=RECORD
// RECORD: passel-opt: error: '--start-after': in the record, no pass ran at builtin.module/func.func/0:cse@g
// RUN: not passel-opt %t.record --ir=mlir 2>&1 | FileCheck %s --check-prefix=IR
// IR: passel-opt: error: the record '{{.*}}.record' needs --ir=xdsl

// RUN: passel-opt %s --load-pass-plugin=%inputs/wrong_fold.py -p "builtin.module(func.func(wrong-fold),dce)" --record=%t.plugin -o /dev/null
// RUN: not passel-opt %t.plugin --start-after=wrong-fold 2>&1 | FileCheck %s --check-prefix=PLUGIN
// PLUGIN: {{^}}<pass-pipeline>:1:26: error: 'wrong-fold' does not refer to a registered pass
// PLUGIN-NEXT: builtin.module(func.func(wrong-fold),dce)
func.func @f() {
  return
}
