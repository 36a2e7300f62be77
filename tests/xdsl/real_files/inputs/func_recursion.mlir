// Calls: recursion, mutual recursion, and private helpers, some of them dead.
func.func @factorial(%n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %base = arith.cmpi sle, %n, %one : i64
  %r = scf.if %base -> (i64) {
    %uno = arith.constant 1 : i64
    scf.yield %uno : i64
  } else {
    %one_again = arith.constant 1 : i64
    %m = arith.subi %n, %one_again : i64
    %f = func.call @factorial(%m) : (i64) -> i64
    %p = arith.muli %n, %f : i64
    scf.yield %p : i64
  }
  return %r : i64
}

func.func @parity(%n: i32) -> i1 {
  %r = func.call @is_even(%n) : (i32) -> i1
  return %r : i1
}

func.func private @is_even(%n: i32) -> i1 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %base = arith.cmpi eq, %n, %zero : i32
  %r = scf.if %base -> (i1) {
    %true = arith.constant true
    scf.yield %true : i1
  } else {
    %m = arith.subi %n, %one : i32
    %s = func.call @is_odd(%m) : (i32) -> i1
    scf.yield %s : i1
  }
  return %r : i1
}

func.func private @is_odd(%n: i32) -> i1 {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %base = arith.cmpi eq, %n, %zero : i32
  %r = scf.if %base -> (i1) {
    %false = arith.constant false
    scf.yield %false : i1
  } else {
    %m = arith.subi %n, %one : i32
    %s = func.call @is_even(%m) : (i32) -> i1
    scf.yield %s : i1
  }
  return %r : i1
}

func.func private @dead_leaf(%x: i32) -> i32 {
  return %x : i32
}

func.func private @dead_caller(%x: i32) -> i32 {
  %y = func.call @dead_leaf(%x) : (i32) -> i32
  return %y : i32
}

func.func private @dead_self(%x: i32) -> i32 {
  %y = func.call @dead_self(%x) : (i32) -> i32
  return %y : i32
}

func.func @direct(%x: i32) -> i32 {
    %y = func.call @taken(%x) : (i32) -> i32
  return %y : i32
}

func.func private @taken(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %y = arith.addi %x, %zero : i32
  return %y : i32
}

func.func private @external(f32) -> f32
