// A small interpreter: a switch over opcodes, and assertions.
func.func private @trap()

func.func @step(%opcode: i32, %top: i32, %below: i32) -> i32 {
  %zero = arith.constant 0 : i32
  cf.switch %opcode : i32, [
    default: ^bad,
    0: ^add,
    1: ^multiply,
    2: ^drop(%below : i32)
  ]
^add:
  %s = arith.addi %top, %below : i32
  %s_again = arith.addi %top, %below : i32
  cf.br ^done(%s_again : i32)
^multiply:
  %one = arith.constant 1 : i32
  %p = arith.muli %top, %one : i32
  %q = arith.muli %p, %below : i32
  cf.br ^done(%q : i32)
^drop(%v: i32):
  cf.br ^done(%v : i32)
^bad:
  func.call @trap() : () -> ()
  cf.br ^done(%zero : i32)
^done(%r: i32):
  return %r : i32
}

func.func @checked_divide(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %zero_again = arith.constant 0 : i32
  %ok = arith.cmpi ne, %b, %zero : i32
  cf.assert %ok, "division by zero"
  %ok_again = arith.cmpi ne, %b, %zero_again : i32
  cf.cond_br %ok_again, ^divide, ^zero
^divide:
  %q = arith.divsi %a, %b : i32
  %unused = arith.remui %a, %a : i32
  return %q : i32
^zero:
  %nil = arith.constant 0 : i32
  return %nil : i32
}

func.func @chain(%x: i64) -> i64 {
  cf.br ^one(%x : i64)
^one(%a: i64):
  cf.br ^two(%a : i64)
^two(%b: i64):
  %c = arith.addi %b, %b : i64
  cf.br ^three
^three:
  return %c : i64
}
