// Sums and products of many operands, which canonicalization flattens.
func.func @nested(%a: i32, %b: i32, %c: i32, %d: i32) -> i32 {
  %ab = varith.add %a, %b : i32
  %abc = varith.add %ab, %c : i32
  %abcd = varith.add %abc, %d, %a : i32
  %unused = varith.mul %ab, %abc : i32
  return %abcd : i32
}

func.func @products(%x: f32, %y: f32, %z: f32) -> f32 {
  %xy = varith.mul %x, %y : f32
  %xy_again = varith.mul %x, %y : f32
  %xyz = varith.mul %xy_again, %z : f32
  %all = varith.mul %xyz, %x : f32
  %s = varith.add %all, %all : f32
  return %s : f32
}

func.func @switch(%which: i32, %a: index, %b: index) -> index {
  %zero = arith.constant 0 : index
  %b_same = arith.addi %b, %zero : index
  %r = varith.switch %which : i32 -> index, [
    default: %a,
    1: %b_same
  ]
  return %r : index
}
