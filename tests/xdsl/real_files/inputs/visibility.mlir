// Visibilities, references in attributes, and declarations.
module attributes {demo.entry = @main, demo.table = [@in_array, {handler = @in_dictionary}]} {
  func.func @main() -> i32 {
    %a = arith.constant 20 : i32
    %b = arith.constant 22 : i32
    %c = arith.addi %a, %b : i32
    return %c : i32
  }
  func.func private @in_array() {
    %unused = arith.constant 0 : i32
    return
  }
  func.func private @in_dictionary() {
    %x = arith.constant 1 : i32
    %y = arith.constant 1 : i32
    %z = arith.addi %x, %y : i32
    return
  }
  func.func private @declared_and_called(i32) -> i32
  func.func private @declared_only(i32) -> i32
  func.func nested @nested_is_dead_here(%x: i32) -> i32 {
    %y = func.call @declared_and_called(%x) : (i32) -> i32
    return %y : i32
  }
  func.func @public_keeps(%x: i32) -> i32 attributes {demo.fallback = @only_in_attribute} {
    %y = func.call @declared_and_called(%x) : (i32) -> i32
    return %y : i32
  }
  func.func private @only_in_attribute(%x: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %y = arith.addi %x, %zero : i32
    return %y : i32
  }
}
