// With `--compat=xdsl`, `-p` is xDSL's flat form, and nested pipelines work too.
// RUN: passel-opt --compat=xdsl %s -p 'cse,dce' > %t.passel
// RUN: xdsl-opt %s -p 'cse,dce' > %t.xdsl
// RUN: diff %t.passel %t.xdsl
// RUN: passel-opt --compat=xdsl %s -p 'builtin.module(func.func(cse,dce))' | diff %t.passel -
// RUN: passel-opt --compat=xdsl %s -p 'canonicalize' --print-between-passes --print-op-generic > %t.passel
// RUN: xdsl-opt %s -p 'canonicalize' --print-between-passes --print-op-generic > %t.xdsl
// RUN: diff %t.passel %t.xdsl
func.func @f() -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
