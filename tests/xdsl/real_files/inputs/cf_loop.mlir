// Loops and diamonds as basic blocks.
func.func @power(%base: i32, %exponent: i32) -> i32 {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  cf.br ^head(%one, %exponent : i32, i32)
^head(%acc: i32, %left: i32):
  %done = arith.cmpi eq, %left, %zero : i32
  cf.cond_br %done, ^exit(%acc : i32), ^body
^body:
  %uno = arith.constant 1 : i32
  %next = arith.muli %acc, %base : i32
  %next_again = arith.muli %acc, %base : i32
  %minus = arith.subi %left, %uno : i32
  cf.br ^head(%next_again, %minus : i32, i32)
^exit(%r: i32):
  return %r : i32
}

func.func @diamond(%c: i1, %x: i32, %y: i32) -> i32 {
  %sum = arith.addi %x, %y : i32
  cf.cond_br %c, ^then, ^else
^then:
  %sum_then = arith.addi %x, %y : i32
  %twice = arith.addi %sum_then, %sum : i32
  cf.br ^join(%twice : i32)
^else:
  %sum_else = arith.addi %x, %y : i32
  %product = arith.muli %sum_else, %sum : i32
  cf.br ^join(%product : i32)
^join(%r: i32):
  %dead = arith.addi %r, %sum : i32
  return %r : i32
}

func.func @constant_condition(%x: i32) -> i32 {
  %true = arith.constant true
  cf.cond_br %true, ^yes, ^no
^yes:
  %two = arith.constant 2 : i32
  %a = arith.muli %x, %two : i32
  return %a : i32
^no:
  %three = arith.constant 3 : i32
  %b = arith.muli %x, %three : i32
  return %b : i32
}

func.func @unreachable(%x: i32) -> i32 {
  return %x : i32
^orphan:
  %c = arith.constant 7 : i32
  cf.br ^orphan_too(%c : i32)
^orphan_too(%v: i32):
  return %v : i32
}
