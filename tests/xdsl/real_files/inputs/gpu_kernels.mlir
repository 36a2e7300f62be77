// A module of kernels and the host's side; the kernels' own functions are isolated as well.
builtin.module attributes {gpu.container_module} {
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (index, f32, memref<?xf32>, memref<?xf32>) -> (), kernel}> ({
    ^bb0(%n: index, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>):
      %bx = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
      %tx = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %bdim = "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> index
      %base = arith.muli %bx, %bdim : index
      %base_again = arith.muli %bx, %bdim : index
      %i = arith.addi %base, %tx : index
      %i_again = arith.addi %base_again, %tx : index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %xv = memref.load %x[%i] : memref<?xf32>
        %yv = memref.load %y[%i_again] : memref<?xf32>
        %p = arith.mulf %a, %xv : f32
        %s = arith.addf %p, %yv : f32
        memref.store %s, %y[%i] : memref<?xf32>
      }
      "gpu.return"() : () -> ()
    }) {sym_name = "axpy", gpu.kernel} : () -> ()
    "gpu.func"() <{function_type = (f32, memref<256xf32>) -> (), kernel}> ({
    ^bb0(%v: f32, %out: memref<256xf32>):
      %tx = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %zero = arith.constant 0 : index
      %i = arith.addi %tx, %zero : index
      memref.store %v, %out[%i] : memref<256xf32>
      "gpu.return"() : () -> ()
    }) {sym_name = "fill", gpu.kernel} : () -> ()
    func.func private @device_helper(%x: f32) -> f32 {
      return %x : f32
    }
  }) : () -> ()

  func.func @main(%x: memref<?xf32>, %y: memref<?xf32>, %out: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %uno = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %n = arith.constant 4096 : index
    %a = arith.constant 2.0 : f32
    %blocks = arith.ceildivui %n, %c256 : index
    %blocks_again = arith.ceildivui %n, %c256 : index
    "gpu.launch_func"(%blocks_again, %c1, %uno, %c256, %c1, %c1, %n, %a, %x, %y) <{kernel = @kernels::@axpy, operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 4, 0>}> : (index, index, index, index, index, index, index, f32, memref<?xf32>, memref<?xf32>) -> ()
    "gpu.launch_func"(%c1, %c1, %c1, %c256, %uno, %uno, %a, %out) <{kernel = @kernels::@fill, operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 0>}> : (index, index, index, index, index, index, f32, memref<256xf32>) -> ()
    return
  }

  func.func private @fallback(%x: memref<?xf32>) {
    return
  }
}
