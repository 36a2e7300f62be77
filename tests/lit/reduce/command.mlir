// A command says what is interesting, by exit code 0; it is run on the input first.
// RUN: passel-reduce %s --interesting='grep -q arith.muli' 2>/dev/null | FileCheck %s
// RUN: not passel-reduce %s --interesting=false 2>&1 | FileCheck %s --check-prefix=DULL
// RUN: not passel-reduce %s --interesting=no-such-program 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: printf 'exit 0\n' > %t.sh && chmod +x %t.sh
// RUN: not passel-reduce %s --interesting=%t.sh 2>&1 | FileCheck %s --check-prefix=FORMAT --implicit-check-not=Traceback
// RUN: passel-opt %s --record=%t.record --cse --canonicalize --mem2reg --load-pass-plugin=%inputs/passes.py --mark -o /dev/null
// RUN: not passel-bisect %t.record --interesting=%t.sh 2>&1 | FileCheck %s --check-prefix=FORMAT --implicit-check-not=Traceback
// RUN: printf '#!/no/such/shell\n' > %t.sh
// RUN: not passel-reduce %s --interesting=%t.sh 2>&1 | FileCheck %s --check-prefix=INTERPRETER --implicit-check-not=Traceback
// RUN: not passel-reduce %s --mlir-timing --cse 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not passel-reduce %s --cse 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not passel-reduce %s 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: passel-opt %s --record=%t.record --load-pass-plugin=%inputs/module_passes.py --greet -o /dev/null
// RUN: passel-reduce %t.record --load-pass-plugin=%inputs/module_passes.py --allow-effects=unknown --interesting='grep -q greet' 2>&1 | FileCheck %s --check-prefix=REPLAY

// REPLAY: to replay: passel-opt --run-reproducer --load-pass-plugin={{[^ ]*}} --allow-effects=unknown FILE
// CHECK:      builtin.module {
// CHECK-NEXT:   [[ZERO:%.*]] = arith.constant 0 : i32
// CHECK-NEXT:   {{%.*}} = arith.muli [[ZERO]], [[ZERO]] : i32
// CHECK-NEXT: }
// CHECK-NOT:  {{.}}

// DULL: passel-reduce: error: the input in generic form is not interesting: the command exits with 1
// MISSING: passel-reduce: error: '--interesting' cannot be run: 'no-such-program' is not an executable program
// FORMAT: passel-{{reduce|bisect}}: error: the command cannot be run: {{.*}}.sh: Exec format error; a script must begin with
// INTERPRETER: passel-reduce: error: the command cannot be run: {{.*}}.sh: No such file or directory; a script must begin with
// FLAG: passel-reduce: error: unknown command line argument '--mlir-timing'
// FINE: passel-reduce: error: 'builtin.module(cse)' does not fail on the input
// NOTHING: passel-reduce: error: there is nothing to run
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.muli %0, %b : i32
  return %1 : i32
}
