// A circuit: combinational logic in modules that instantiate each other.
hw.module @half_adder(in %a a : i1, in %b b : i1, out sum : i1, out carry : i1) {
  %s = comb.xor %a, %b : i1
  %c = comb.and %a, %b : i1
  %c_again = comb.and %a, %b : i1
  hw.output %s, %c_again : i1, i1
}

hw.module @full_adder(in %a a : i1, in %b b : i1, in %cin cin : i1, out sum : i1, out carry : i1) {
  %s0, %c0 = hw.instance "first" @half_adder(a: %a: i1, b: %b: i1) -> (sum: i1, carry: i1)
  %s1, %c1 = hw.instance "second" @half_adder(a: %s0: i1, b: %cin: i1) -> (sum: i1, carry: i1)
  %c = comb.or %c0, %c1 : i1
  hw.output %s1, %c : i1, i1
}

hw.module @alu(in %x x : i32, in %y y : i32, in %sel sel : i1, out r : i32) {
  %sum = comb.add %x, %y : i32
  %product = comb.mul %x, %y : i32
  %sum_again = comb.add %x, %y : i32
  %difference = comb.sub %x, %y : i32
  %unused = comb.and %difference, %product : i32
  %r = comb.mux %sel, %sum_again, %product : i32
  %zero = arith.constant 0 : i32
  %r_again = arith.addi %r, %zero : i32
  hw.output %r_again : i32
}

hw.module private @unused(in %a a : i8, out b : i8) {
  hw.output %a : i8
}
