// Complex arithmetic: one step of a Mandelbrot walk, and constants.
func.func @step(%z: complex<f32>, %c: complex<f32>) -> complex<f32> {
  %z2 = complex.mul %z, %z : complex<f32>
  %z2_again = complex.mul %z, %z : complex<f32>
  %next = complex.add %z2_again, %c : complex<f32>
  %unused = complex.sub %z2, %c : complex<f32>
  return %next : complex<f32>
}

func.func @magnitude(%z: complex<f64>) -> f64 {
  %re = complex.re %z : complex<f64>
  %im = complex.im %z : complex<f64>
  %re_again = complex.re %z : complex<f64>
  %a = arith.mulf %re, %re_again : f64
  %b = arith.mulf %im, %im : f64
  %s = arith.addf %a, %b : f64
  return %s : f64
}

func.func @rebuild(%x: f32, %y: f32) -> f32 {
  %z = complex.create %x, %y : complex<f32>
  %re = complex.re %z : complex<f32>
  %im = complex.im %z : complex<f32>
  %s = arith.addf %re, %im : f32
  return %s : f32
}

func.func @constants() -> complex<f32> {
  %a = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  %b = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  %s = complex.add %a, %b : complex<f32>
  return %s : complex<f32>
}
