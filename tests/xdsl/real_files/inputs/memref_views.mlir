// Allocation, views, casts and globals.
"memref.global"() <{sym_name = "table", sym_visibility = "private", constant, type = memref<4xi32>, initial_value = dense<[1, 2, 4, 8]> : tensor<4xi32>}> : () -> ()
"memref.global"() <{sym_name = "unused_state", sym_visibility = "private", type = memref<16xf32>, initial_value}> : () -> ()
"memref.global"() <{sym_name = "state", sym_visibility = "public", type = memref<2xi64>, initial_value}> : () -> ()

func.func @lookup(%i: index) -> i32 {
  %t = memref.get_global @table : memref<4xi32>
  %u = memref.get_global @table : memref<4xi32>
  %a = memref.load %t[%i] : memref<4xi32>
  %b = memref.load %u[%i] : memref<4xi32>
  %s = arith.addi %a, %b : i32
  return %s : i32
}

func.func @tile(%m: memref<16x16xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c4_again = arith.constant 4 : index
  %v = memref.subview %m[%c4, %c4_again] [4, 4] [1, 1] : memref<16x16xf32> to memref<4x4xf32, strided<[16, 1], offset: ?>>
  %x = memref.load %v[%c0, %c0] : memref<4x4xf32, strided<[16, 1], offset: ?>>
  %scratch = memref.alloc(%n) : memref<?xf32>
  %d = memref.dim %scratch, %c0 : memref<?xf32>
  %last_plus_one = arith.addi %d, %c0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %last_plus_one, %c1 : index
  memref.store %x, %scratch[%last] : memref<?xf32>
  %y = memref.load %scratch[%last] : memref<?xf32>
  memref.dealloc %scratch : memref<?xf32>
  return %y : f32
}

func.func @cast(%m: memref<8xf32>) -> memref<?xf32> {
  %a = "memref.cast"(%m) : (memref<8xf32>) -> memref<?xf32>
  %b = "memref.cast"(%m) : (memref<8xf32>) -> memref<?xf32>
  %unused = memref.alloc() : memref<64xi8>
  return %b : memref<?xf32>
}

func.func @copy(%src: memref<32xi8>, %i: index) {
  %tmp = memref.alloca() : memref<32xi8>
  "memref.copy"(%src, %tmp) : (memref<32xi8>, memref<32xi8>) -> ()
  %never_read = memref.alloca() : memref<8xi8>
  %v = memref.load %tmp[%i] : memref<32xi8>
  %zero = arith.constant 0 : i8
  %w = arith.addi %v, %zero : i8
  memref.store %w, %src[%i] : memref<32xi8>
  return
}
