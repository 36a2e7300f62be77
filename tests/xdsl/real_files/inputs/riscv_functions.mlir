// Assembly level code: immediates, multiplications by constants and repeated loads.
riscv_func.func @immediates(%x : !riscv.reg) -> !riscv.reg {
  %two = rv32.li 2 : !riscv.reg
  %three = rv32.li 3 : !riscv.reg
  %six = riscv.mul %two, %three : (!riscv.reg, !riscv.reg) -> !riscv.reg
  %zero = rv32.li 0 : !riscv.reg
  %a = riscv.add %x, %six : (!riscv.reg, !riscv.reg) -> !riscv.reg
  %b = riscv.add %a, %zero : (!riscv.reg, !riscv.reg) -> !riscv.reg
  %c = riscv.mv %b : (!riscv.reg) -> !riscv.reg
  %dead = riscv.sub %c, %a : (!riscv.reg, !riscv.reg) -> !riscv.reg
  riscv_func.return %c : !riscv.reg
}

riscv_func.func @addresses(%base : !riscv.reg) -> !riscv.reg {
  %four = rv32.li 4 : !riscv.reg
  %eight = rv32.li 8 : !riscv.reg
  %p = riscv.add %base, %four : (!riscv.reg, !riscv.reg) -> !riscv.reg
  %q = riscv.add %base, %four : (!riscv.reg, !riscv.reg) -> !riscv.reg
  %r = riscv.add %q, %eight : (!riscv.reg, !riscv.reg) -> !riscv.reg
  %v = riscv.lw %p, 0 : (!riscv.reg) -> !riscv.reg
  %w = riscv.lw %r, 4 : (!riscv.reg) -> !riscv.reg
  %s = riscv.add %v, %w : (!riscv.reg, !riscv.reg) -> !riscv.reg
  riscv.sw %r, %s, 0 : (!riscv.reg, !riscv.reg) -> ()
  riscv_func.return %s : !riscv.reg
}

riscv_func.func @doubles(%x : !riscv.freg, %y : !riscv.freg) -> !riscv.freg {
  %p = riscv.fmul.d %x, %y : (!riscv.freg, !riscv.freg) -> !riscv.freg
  %q = riscv.fmul.d %x, %y : (!riscv.freg, !riscv.freg) -> !riscv.freg
  %s = riscv.fadd.d %p, %q : (!riscv.freg, !riscv.freg) -> !riscv.freg
  %unused = riscv.fsub.d %p, %q : (!riscv.freg, !riscv.freg) -> !riscv.freg
  riscv_func.return %s : !riscv.freg
}

riscv_func.func private @nobody_calls(%x : !riscv.reg) -> !riscv.reg {
  riscv_func.return %x : !riscv.reg
}
