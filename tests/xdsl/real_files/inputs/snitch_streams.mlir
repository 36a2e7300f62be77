// Hardware loops over data streams; the region's own form differs between releases of xDSL.
riscv_func.func @add_streams(%x : !riscv.reg, %y : !riscv.reg, %z : !riscv.reg) {
  %four = rv32.li 4 : !riscv.reg
  %one = rv32.li 1 : !riscv.reg
  %five = riscv.add %four, %one : (!riscv.reg, !riscv.reg) -> !riscv.reg
  %x_same = riscv.mv %x : (!riscv.reg) -> !riscv.reg
  "snitch_stream.streaming_region"(%x_same, %y, %z) <{
    stride_patterns = [#snitch_stream.stride_pattern<ub = [1, 48], strides = [512, 8]>],
    operandSegmentSizes = array<i32: 2, 1>
  }> ({
  ^bb0(%a_stream : !snitch.readable<!riscv.freg<ft0>>, %b_stream : !snitch.readable<!riscv.freg<ft1>>, %c_stream : !snitch.writable<!riscv.freg<ft2>>):
    %count = rv32.li 47 : !riscv.reg
    %count_again = rv32.li 47 : !riscv.reg
    riscv_snitch.frep_outer %count_again : !riscv.reg {
      %a = riscv_snitch.read from %a_stream : !riscv.freg<ft0>
      %b = riscv_snitch.read from %b_stream : !riscv.freg<ft1>
      %c = riscv.fadd.d %a, %b : (!riscv.freg<ft0>, !riscv.freg<ft1>) -> !riscv.freg<ft2>
      riscv_snitch.write %c to %c_stream : !riscv.freg<ft2>
    }
  }) : (!riscv.reg, !riscv.reg, !riscv.reg) -> ()
  riscv_func.return
}

riscv_func.func private @unused(%x : !riscv.reg) {
  %dead = riscv.add %x, %x : (!riscv.reg, !riscv.reg) -> !riscv.reg
  riscv_func.return
}
