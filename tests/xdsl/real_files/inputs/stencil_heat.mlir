// One step of the heat equation as stencils, with repeated accesses and an unused result.
func.func @heat(%field: !stencil.field<[-4,68]x[-4,68]xf64>, %target: !stencil.field<[-4,68]x[-4,68]xf64>) {
  %t = stencil.load %field : !stencil.field<[-4,68]x[-4,68]xf64> -> !stencil.temp<?x?xf64>
  %r, %unused = stencil.apply(%u = %t : !stencil.temp<?x?xf64>, %u_again = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) {
    %centre = stencil.access %u[0, 0] : !stencil.temp<?x?xf64>
    %centre_again = stencil.access %u_again[0, 0] : !stencil.temp<?x?xf64>
    %north = stencil.access %u[0, 1] : !stencil.temp<?x?xf64>
    %south = stencil.access %u[0, -1] : !stencil.temp<?x?xf64>
    %east = stencil.access %u[1, 0] : !stencil.temp<?x?xf64>
    %west = stencil.access %u_again[-1, 0] : !stencil.temp<?x?xf64>
    %four = arith.constant 4.0 : f64
    %k = arith.constant 0.1 : f64
    %k_again = arith.constant 0.1 : f64
    %a = arith.addf %north, %south : f64
    %b = arith.addf %east, %west : f64
    %c = arith.addf %a, %b : f64
    %d = arith.mulf %four, %centre_again : f64
    %e = arith.subf %c, %d : f64
    %f = arith.mulf %k_again, %e : f64
    %g = arith.addf %centre, %f : f64
    stencil.return %g, %e : f64, f64
  }
  stencil.store %r to %target(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[-4,68]x[-4,68]xf64>
  return
}

func.func @shift(%field: !stencil.field<[0,64]xf32>, %target: !stencil.field<[0,64]xf32>) {
  %t = stencil.load %field : !stencil.field<[0,64]xf32> -> !stencil.temp<?xf32>
  %s = stencil.load %field : !stencil.field<[0,64]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%u = %t : !stencil.temp<?xf32>, %never_read = %s : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %x = stencil.access %u[-1] : !stencil.temp<?xf32>
    stencil.return %x : f32
  }
  stencil.store %r to %target(<[1], [63]>) : !stencil.temp<?xf32> to !stencil.field<[0,64]xf32>
  return
}

func.func private @retired() {
  return
}
