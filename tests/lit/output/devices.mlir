// Devices and links are written to, not replaced.
// RUN: passel-opt %s -o /dev/null > %t.out
// RUN: diff /dev/null %t.out
// RUN: passel-opt %s -o /dev/stdout | FileCheck %s
// RUN: rm -rf %t && mkdir %t && echo before > %t/target && ln -s target %t/link
// RUN: passel-opt %s -o %t/link
// RUN: FileCheck %s < %t/target
// RUN: test -L %t/link

// CHECK: func.func private @a()
func.func private @a()
