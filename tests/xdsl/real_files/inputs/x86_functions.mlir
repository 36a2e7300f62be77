// x86 registers: moves to where the value is already, and additions of nothing.
x86_func.func @moves(%a : !x86.reg64, %b : !x86.reg64) {
  %c = x86.di.mov 0 : () -> !x86.reg64
  %d = x86.di.mov 0 : () -> !x86.reg64
  %same = x86.ds.mov %a : (!x86.reg64) -> !x86.reg64
  %sum = x86.rs.add %same, %b : (!x86.reg64, !x86.reg64) -> !x86.reg64
  %twice = x86.rs.add %sum, %d : (!x86.reg64, !x86.reg64) -> !x86.reg64
  x86.ms.mov [%a], %twice : (!x86.reg64, !x86.reg64) -> ()
  x86_func.ret
}

x86_func.func private @retired() {
  %c = x86.di.mov 7 : () -> !x86.reg64
  x86_func.ret
}

x86_func.func @rotate(%a : !x86.reg64) {
  %b = x86.ds.mov %a : (!x86.reg64) -> !x86.reg64
  %c = x86.ds.mov %b : (!x86.reg64) -> !x86.reg64
  %dead = x86.ds.mov %c : (!x86.reg64) -> !x86.reg64
  x86.ms.mov [%a], %c : (!x86.reg64, !x86.reg64) -> ()
  x86_func.ret
}
