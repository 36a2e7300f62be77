// With `--compat=xdsl`, errors of the parser have xDSL's text.
// RUN: passel-opt --compat=xdsl %s --parsing-diagnostics > %t.passel
// RUN: xdsl-opt %s --parsing-diagnostics > %t.xdsl
// RUN: diff %t.passel %t.xdsl
// RUN: FileCheck %s < %t.passel

// CHECK: values used but not defined: [%x]
"test.op"(%x) : (i32) -> ()
