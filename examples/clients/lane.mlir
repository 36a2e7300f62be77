func.func @lane() -> i32 {
  %0 = nvvm.read.ptx.sreg.laneid : i32
  %1 = nvvm.read.ptx.sreg.laneid : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
