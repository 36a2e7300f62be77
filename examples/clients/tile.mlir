func.func @tile() -> (!cute.int_tuple<"2">, !cute.int_tuple<"2">) {
  %0 = cute.static : !cute.int_tuple<"2">
  %1 = cute.static : !cute.int_tuple<"2">
  return %0, %1 : !cute.int_tuple<"2">, !cute.int_tuple<"2">
}
