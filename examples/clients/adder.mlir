hw.module @adder(in %a: i4, in %b: i4, out sum: i4) {
  %0 = comb.add %a, %b : i4
  %1 = comb.add %a, %b : i4
  %2 = comb.or %0, %1 : i4
  hw.output %2 : i4
}
