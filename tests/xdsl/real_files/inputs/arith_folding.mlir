// Integer arithmetic with neutral elements, constants and repetitions.
func.func @neutral(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = arith.addi %x, %zero : i32
  %b = arith.muli %a, %one : i32
  %c = arith.subi %b, %zero : i32
  %d = arith.ori %c, %zero : i32
  return %d : i32
}

func.func @constants() -> i64 {
  %c6 = arith.constant 6 : i64
  %c7 = arith.constant 7 : i64
  %c42 = arith.muli %c6, %c7 : i64
  %sum = arith.addi %c42, %c42 : i64
  %shifted = arith.shli %sum, %c7 : i64
  return %shifted : i64
}

func.func @repeated(%a: i32, %b: i32, %c: i32) -> (i32, i32) {
  %p = arith.muli %a, %b : i32
  %q = arith.muli %b, %a : i32
  %p_again = arith.muli %a, %b : i32
  %s = arith.addi %p, %c : i32
  %s_again = arith.addi %p_again, %c : i32
  %dead = arith.xori %s, %q : i32
  %deader = arith.andi %dead, %a : i32
  return %s, %s_again : i32, i32
}

func.func @widths(%x: i8) -> i64 {
  %a = arith.extsi %x : i8 to i32
  %b = arith.extsi %x : i8 to i32
  %c = arith.addi %a, %b : i32
  %d = arith.extui %c : i32 to i64
  %t = arith.trunci %d : i64 to i16
  %e = arith.extui %t : i16 to i64
  return %e : i64
}

func.func @comparisons(%a: index, %b: index) -> i1 {
  %lt = arith.cmpi slt, %a, %b : index
  %lt_again = arith.cmpi slt, %a, %b : index
  %same = arith.cmpi eq, %a, %a : index
  %r = arith.andi %lt, %lt_again : i1
  %true = arith.constant true
  %s = arith.select %true, %r, %same : i1
  return %s : i1
}

func.func @wide(%a: i32, %b: i32) -> i32 {
  %low, %high = arith.mului_extended %a, %b : i32
  %low2, %high2 = arith.mului_extended %a, %b : i32
  %r = arith.addi %low, %high2 : i32
  return %r : i32
}
