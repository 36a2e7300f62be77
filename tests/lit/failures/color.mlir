// Diagnostics have colours on terminals, or as --color says; FileCheck reads a pipe.

// RUN: not passel-opt %s --cse 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not passel-opt %s --cse --color=never 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not passel-opt %s --cse --color 2>&1 | FileCheck %s --check-prefix=COLOR
// RUN: not passel-opt %s --cse --color=always --ir=mlir 2>&1 | FileCheck %s --check-prefix=COLOR
// RUN: not passel-opt %s -p 'builtin.module(csx)' --color 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not passel-opt %s --cse --color=maybe 2>&1 | FileCheck %s --check-prefix=WRONG

// PLAIN: color.mlir:17:25: error: 'func.return' op
// COLOR: {{\[}}1m{{.*}}color.mlir:17:25: {{.}}[0m{{.}}[1;31merror: {{.}}[0m{{.}}[1m'func.return' op
// COLOR-NEXT: {{^}}func.func @f() -> i32
// COLOR-NEXT: {{^.}}[1;32m                        ^{{.}}[0m
// PIPELINE: [1;31merror: {{.}}[0m{{.}}[1m'csx' does not refer
// WRONG: passel-opt: error: '--color' takes one of auto, always, never, {{.*}}not 'maybe'

func.func @f() -> i32 { func.return }
