// With --ir=auto, bytecode is recognized in files and on the standard input, and is MLIR's.
// RUN: passel-opt --ir=mlir %s --emit-bytecode -o %t.mlirbc
// RUN: passel-opt --ir=auto %t.mlirbc | FileCheck %s
// RUN: cat %t.mlirbc | passel-opt --ir=auto --cse | FileCheck %s
// RUN: cat %s | passel-opt --ir=auto --cse | FileCheck %s --check-prefix=XDSL

// CHECK: {{^}}module {
// XDSL: builtin.module {
func.func private @f()
