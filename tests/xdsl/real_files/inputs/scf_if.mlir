// Branches on constants, equal arms, and nested conditions.
func.func private @report(i32)

func.func @constant_branch(%x: i32) -> i32 {
  %true = arith.constant true
  %r = scf.if %true -> (i32) {
    %two = arith.constant 2 : i32
    %d = arith.muli %x, %two : i32
    scf.yield %d : i32
  } else {
    func.call @report(%x) : (i32) -> ()
    scf.yield %x : i32
  }
  return %r : i32
}

func.func @clamp(%x: i32, %lo: i32, %hi: i32) -> i32 {
  %below = arith.cmpi slt, %x, %lo : i32
  %below_again = arith.cmpi slt, %x, %lo : i32
  %r = scf.if %below -> (i32) {
    scf.yield %lo : i32
  } else {
    %above = arith.cmpi sgt, %x, %hi : i32
    %inner = scf.if %above -> (i32) {
      scf.yield %hi : i32
    } else {
      scf.yield %x : i32
    }
    scf.yield %inner : i32
  }
  %s = arith.select %below_again, %lo, %r : i32
  return %s : i32
}

func.func @effects(%cond: i1, %x: i32) {
  %one = arith.constant 1 : i32
  scf.if %cond {
    %uno = arith.constant 1 : i32
    %y = arith.addi %x, %uno : i32
    func.call @report(%y) : (i32) -> ()
  }
  scf.if %cond {
    %y = arith.addi %x, %one : i32
    %unused = arith.muli %y, %y : i32
    func.call @report(%y) : (i32) -> ()
  } else {
    func.call @report(%x) : (i32) -> ()
  }
  return
}

func.func @switch(%which: index, %x: i32) -> i32 {
  %r = scf.index_switch %which -> i32
  case 2 {
    %c = arith.constant 20 : i32
    scf.yield %c : i32
  }
  case 5 {
    %c = arith.constant 50 : i32
    %d = arith.constant 50 : i32
    %e = arith.addi %c, %d : i32
    scf.yield %e : i32
  }
  default {
    %zero = arith.constant 0 : i32
    %y = arith.addi %x, %zero : i32
    scf.yield %y : i32
  }
  return %r : i32
}
