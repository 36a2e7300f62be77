// A rewrite pattern held as IR beside the function that it is meant for.
pdl.pattern @add_zero : benefit(2) {
  %type = pdl.type
  %x = pdl.operand : %type
  %zero_attribute = pdl.attribute = 0 : i32
  %zero_op = pdl.operation "arith.constant" {"value" = %zero_attribute} -> (%type : !pdl.type)
  %zero = pdl.result 0 of %zero_op
  %sum = pdl.operation "arith.addi" (%x, %zero : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %sum {
    pdl.replace %sum with (%x : !pdl.value)
  }
}

func.func @subject(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %y = arith.addi %x, %zero : i32
  %z = arith.addi %x, %zero : i32
  %s = arith.muli %y, %z : i32
  return %s : i32
}

func.func private @aside(%x: i32) -> i32 {
  return %x : i32
}
