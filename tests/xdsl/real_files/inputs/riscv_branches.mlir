// Branches between labelled blocks, one of them decided by constants.
riscv_func.func @countdown(%n : !riscv.reg) {
  %zero = rv32.li 0 : !riscv.reg
  %one = rv32.li 1 : !riscv.reg
  %start = riscv.mv %n : (!riscv.reg) -> !riscv.reg
  riscv_cf.beq %start : !riscv.reg, %zero : !riscv.reg, ^end(%start : !riscv.reg), ^body(%start : !riscv.reg)
^body(%i : !riscv.reg):
  riscv.label "body"
  %j = riscv.sub %i, %one : (!riscv.reg, !riscv.reg) -> !riscv.reg
  %unused = riscv.add %i, %one : (!riscv.reg, !riscv.reg) -> !riscv.reg
  riscv_cf.bne %j : !riscv.reg, %zero : !riscv.reg, ^body(%j : !riscv.reg), ^end(%j : !riscv.reg)
^end(%k : !riscv.reg):
  riscv.label "end"
  riscv_func.return
}

riscv_func.func @decided() {
  %one = rv32.li 1 : !riscv.reg
  %three = rv32.li 3 : !riscv.reg
  %v = riscv.mv %one : (!riscv.reg) -> !riscv.reg
  riscv_cf.blt %one : !riscv.reg, %three : !riscv.reg, ^taken(%v : !riscv.reg), ^passed_by(%v : !riscv.reg)
^passed_by(%x : !riscv.reg):
  riscv.label "passed_by"
  riscv.nop
  riscv_cf.branch ^taken(%x : !riscv.reg)
^taken(%y : !riscv.reg):
  riscv.label "taken"
  riscv_func.return
}
