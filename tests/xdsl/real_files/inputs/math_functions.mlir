// Floating point with the math dialect.
func.func @distance(%x0: f64, %y0: f64, %x1: f64, %y1: f64) -> f64 {
  %dx = arith.subf %x1, %x0 : f64
  %dy = arith.subf %y1, %y0 : f64
  %dx_again = arith.subf %x1, %x0 : f64
  %dx2 = arith.mulf %dx, %dx_again : f64
  %dy2 = arith.mulf %dy, %dy : f64
  %s = arith.addf %dx2, %dy2 : f64
  %r = math.sqrt %s : f64
  %r_again = math.sqrt %s : f64
  %unused = math.exp %r_again : f64
  return %r : f64
}

func.func @sigmoid(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %uno = arith.constant 1.0 : f32
  %n = arith.negf %x : f32
  %e = math.exp %n : f32
  %d = arith.addf %one, %e : f32
  %r = arith.divf %uno, %d : f32
  return %r : f32
}

func.func @gelu(%x: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %k = arith.constant 0.7978846 : f32
  %c = arith.constant 0.044715 : f32
  %x2 = arith.mulf %x, %x : f32
  %x3 = arith.mulf %x2, %x : f32
  %cx3 = arith.mulf %c, %x3 : f32
  %inner = arith.addf %x, %cx3 : f32
  %scaled = arith.mulf %k, %inner : f32
  %t = math.tanh %scaled : f32
  %one_more = arith.constant 1.0 : f32
  %u = arith.addf %one_more, %t : f32
  %hx = arith.mulf %half, %x : f32
  %half_again = arith.constant 0.5 : f32
  %hx_again = arith.mulf %half_again, %x : f32
  %r = arith.mulf %hx_again, %u : f32
  return %r : f32
}

func.func @folded() -> f32 {
  %a = arith.constant 1.5 : f32
  %b = arith.constant 2.5 : f32
  %s = arith.addf %a, %b : f32
  %p = arith.mulf %s, %b : f32
  return %p : f32
}

func.func @bits(%x: i32) -> i32 {
  %a = math.ctpop %x : i32
  %b = math.ctlz %x : i32
  %a_again = math.ctpop %x : i32
  %s = arith.addi %a, %a_again : i32
  return %s : i32
}
