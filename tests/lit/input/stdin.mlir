// Without a file, or for `-`, the input is what is piped in.
// RUN: passel-opt < %s | FileCheck %s
// RUN: passel-opt -- %s | FileCheck %s
// RUN: echo nonsense | not passel-opt 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: func.func private @a()
// ERROR: <stdin>:1:1: error: custom op 'nonsense' is unknown{{.*}}
// ERROR-NEXT: nonsense
// ERROR-NEXT: ^
func.func private @a()
