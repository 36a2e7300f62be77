// Ops of an unknown dialect: they stay, the arithmetic beside them does not.
// With one region they could be symbol tables, and symbol-dce would refuse to run.
func.func @mixed(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %a = arith.addi %x, %zero : i32
  %b = "vendor.encode"(%a) {key = "secret", rounds = 3 : i32} : (i32) -> i32
  %c = "vendor.encode"(%a) {key = "secret", rounds = 3 : i32} : (i32) -> i32
  %unused = arith.muli %b, %b : i32
  %r = "vendor.region"(%c) ({
  ^bb0(%y: i32):
    %d = arith.addi %y, %x : i32
    %d_again = arith.addi %y, %x : i32
    "vendor.yield"(%d_again) : (i32) -> ()
  }, {
  }) : (i32) -> i32
  return %r : i32
}

"vendor.table"() ({
  func.func private @handler(%x: i32) -> i32 {
    return %x : i32
  }
  "vendor.end"() : () -> ()
}, {
}) {sym_name = "handlers", default = @used_by_attribute} : () -> ()

func.func private @used_by_attribute(%x: i32) -> i32 {
  %one = arith.constant 1 : i32
  %y = arith.muli %x, %one : i32
  return %y : i32
}

func.func private @unused(%x: i32) -> i32 {
  return %x : i32
}
