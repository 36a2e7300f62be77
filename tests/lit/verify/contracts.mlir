// --verify-contracts refuses pipelines whose passes break what others rely on, and finds passes that do not do what they declare.

// RUN: passel-opt %s --load-pass-plugin=%inputs/contracts.py -p 'builtin.module(generate,func.func(careful),materialize)' --verify-contracts | filecheck %s
// RUN: passel-opt %s --load-pass-plugin=%inputs/contracts.py -p 'builtin.module(generate,careless,materialize)' -Wno-contracts | filecheck %s
// RUN: not passel-opt %s --load-pass-plugin=%inputs/contracts.py -p 'builtin.module(generate,func.func(careless),materialize)' --verify-contracts 2>&1 | filecheck %s --check-prefix=CARELESS
// RUN: not passel-opt %s --load-pass-plugin=%inputs/contracts.py -p 'builtin.module(generate{lazy=true},materialize)' --verify-contracts 2>&1 | filecheck %s --check-prefix=LAZY
// RUN: not passel-opt %s --load-pass-plugin=%inputs/contracts.py -p 'builtin.module(func.func(lower,tile))' --verify-contracts 2>&1 | filecheck %s --check-prefix=TILE
// RUN: not passel-opt %s --load-pass-plugin=%inputs/contracts.py -p 'builtin.module(func.func(lower,raise))' --verify-contracts 2>&1 | filecheck %s --check-prefix=LEFT

// CHECK: func.func @g

// CARELESS: --pass-pipeline:1:35: error: pass 'careless' [builtin.module/func.func/0:careless] between 'generate' [builtin.module/0:generate] and 'materialize' [builtin.module/1:materialize] does not preserve Schedule; if it does, declare preserves = (Schedule,) in Careless, else move it out of there
// CARELESS-NEXT: builtin.module(generate,func.func(careless),materialize)
// CARELESS-NEXT: ^~~~~~~~

// LAZY: error: 'builtin.module' op pass 'generate{lazy=true}' failed: it does not compute Schedule, which it produces

// TILE: error: pass 'tile' [builtin.module/func.func/1:tile] requires dialect 'arith', which 'lower' [builtin.module/func.func/0:lower] has made illegal, and no pass since has made it legal; put it before that one

// LEFT: error: 'arith.constant' op pass 'raise' failed: it leaves 'arith.constant' of dialect 'arith', which pass 'lower' [builtin.module/func.func/0:lower] has made illegal, and no pass since has made legal
// LEFT: contracts.mlir:{{[0-9]+}}:8: error: 'arith.constant' op pass 'lower' failed: it makes dialect 'arith' illegal, but leaves 'arith.constant'

func.func @f() {
  %0 = arith.constant 1 : i32
  func.return
}
func.func @g() {
  %0 = arith.constant {keep} 1 : i32
  func.return
}
