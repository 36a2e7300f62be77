// Calls of an external function: neither their number nor their order may change.
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%x: i32) -> i32 {
  %w = arith.extsi %x : i32 to i64
  call @printI64(%w) : (i64) -> ()
  call @printNewline() : () -> ()
  return %x : i32
}
func.func private @show_all(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = memref.alloca() : memref<i32>
  memref.store %zero, %sum[] : memref<i32>
  cf.br ^check(%zero : i32)
^check(%i: i32):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^end
^body:
  %x = call @show(%i) : (i32) -> i32
  %s = memref.load %sum[] : memref<i32>
  %t = arith.addi %s, %x : i32
  memref.store %t, %sum[] : memref<i32>
  %j = arith.addi %i, %one : i32
  cf.br ^check(%j : i32)
^end:
  %r = memref.load %sum[] : memref<i32>
  %shown = call @show(%r) : (i32) -> i32
  return %shown : i32
}
func.func @main(%a: i32, %b: i32) -> i32 {
  %x = call @show_all(%a) : (i32) -> i32
  %y = call @show_all(%b) : (i32) -> i32
  %z = call @show(%x) : (i32) -> i32
  %r = arith.subi %z, %y : i32
  return %r : i32
}
