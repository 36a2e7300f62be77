// Two kernels as a front end emits them: correct, and full of repetition.

// y = a * x + y. The offset adds zero, and a * x is computed twice.
func.func @saxpy(%a: f32, %x: memref<64xf32>, %y: memref<64xf32>) {
  %lower = arith.constant 0 : index
  %upper = arith.constant 64 : index
  %step = arith.constant 1 : index
  scf.for %i = %lower to %upper step %step {
    %offset = arith.constant 0 : index
    %j = arith.addi %i, %offset : index
    %xj = memref.load %x[%j] : memref<64xf32>
    %yj = memref.load %y[%j] : memref<64xf32>
    %ax = arith.mulf %a, %xj : f32
    %unused = arith.mulf %a, %xj : f32
    %sum = arith.addf %ax, %yj : f32
    memref.store %sum, %y[%j] : memref<64xf32>
  }
  func.return
}

// x = x if x > 0 else 0.01 * x. The bound is computed; tracing is off.
func.func @leaky_relu(%x: memref<64xf32>) {
  %lower = arith.constant 0 : index
  %half = arith.constant 32 : index
  %upper = arith.addi %half, %half : index
  %step = arith.constant 1 : index
  %tracing = arith.constant false
  scf.for %i = %lower to %upper step %step {
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.01 : f32
    %xi = memref.load %x[%i] : memref<64xf32>
    scf.if %tracing {
      func.call @trace(%xi) : (f32) -> ()
    }
    %positive = arith.cmpf ogt, %xi, %zero : f32
    %scaled = arith.mulf %xi, %slope : f32
    %result = arith.select %positive, %xi, %scaled : f32
    memref.store %result, %x[%i] : memref<64xf32>
  }
  func.return
}

// Unused once the kernels are simplified.
func.func private @trace(%value: f32) {
  func.call @print_f32(%value) : (f32) -> ()
  func.return
}
func.func private @print_f32(f32)
