// Structured loops over registers.
riscv_func.func @sum(%base : !riscv.reg, %n : !riscv.reg) -> !riscv.reg {
  %zero = rv32.li 0 : !riscv.reg
  %one = rv32.li 1 : !riscv.reg
  %zero_again = rv32.li 0 : !riscv.reg
  %r = riscv_scf.for %i : !riscv.reg = %zero : !riscv.reg to %n : !riscv.reg step %one : !riscv.reg iter_args(%acc = %zero_again) -> (!riscv.reg) {
    %four = rv32.li 4 : !riscv.reg
    %offset = riscv.mul %i, %four : (!riscv.reg, !riscv.reg) -> !riscv.reg
    %p = riscv.add %base, %offset : (!riscv.reg, !riscv.reg) -> !riscv.reg
    %p_again = riscv.add %base, %offset : (!riscv.reg, !riscv.reg) -> !riscv.reg
    %v = riscv.lw %p_again, 0 : (!riscv.reg) -> !riscv.reg
    %next = riscv.add %acc, %v : (!riscv.reg, !riscv.reg) -> !riscv.reg
    %dead = riscv.sub %next, %v : (!riscv.reg, !riscv.reg) -> !riscv.reg
    riscv_scf.yield %next : !riscv.reg
  }
  riscv_func.return %r : !riscv.reg
}

riscv_func.func @fill(%base : !riscv.reg, %v : !riscv.reg) {
  %lb = rv32.li 0 : !riscv.reg
  %ub = rv32.li 64 : !riscv.reg
  %step = rv32.li 4 : !riscv.reg
  riscv_scf.for %i : !riscv.reg = %lb : !riscv.reg to %ub : !riscv.reg step %step : !riscv.reg {
    %p = riscv.add %base, %i : (!riscv.reg, !riscv.reg) -> !riscv.reg
    %q = riscv.addi %p, 0 : (!riscv.reg) -> !riscv.reg
    riscv.sw %q, %v, 0 : (!riscv.reg, !riscv.reg) -> ()
    riscv_scf.yield
  }
  riscv_func.return
}
