// A file is written instead of the standard output, however it is asked for.
// RUN: passel-opt %s -o %t.1 > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t.1
// RUN: passel-opt %s -o=%t.2 > %t.out
// RUN: diff /dev/null %t.out
// RUN: FileCheck %s < %t.2
// RUN: diff /dev/null %t.out

// CHECK: func.func private @a()
func.func private @a()
