// Loops with a condition: greatest common divisor, a Collatz walk, and a search.
func.func @gcd(%a: i64, %b: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %zero_again = arith.constant 0 : i64
  %r:2 = scf.while (%x = %a, %y = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %y, %zero : i64
    %more_again = arith.cmpi ne, %y, %zero_again : i64
    %both = arith.andi %more, %more_again : i1
    scf.condition(%both) %x, %y : i64, i64
  } do {
  ^bb0(%x: i64, %y: i64):
    %rem = arith.remui %x, %y : i64
    scf.yield %y, %rem : i64, i64
  }
  return %r#0 : i64
}

func.func @collatz(%start: i64) -> i64 {
  %steps0 = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.while (%n = %start, %steps = %steps0) : (i64, i64) -> (i64, i64) {
    %limit = arith.constant 1 : i64
    %more = arith.cmpi ugt, %n, %limit : i64
    scf.condition(%more) %n, %steps : i64, i64
  } do {
  ^bb0(%n: i64, %steps: i64):
    %two = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %bit = arith.remui %n, %two : i64
    %odd = arith.cmpi eq, %bit, %one : i64
    %next = scf.if %odd -> (i64) {
      %t = arith.muli %n, %three : i64
      %u = arith.addi %t, %one : i64
      scf.yield %u : i64
    } else {
      %h = arith.divui %n, %two : i64
      scf.yield %h : i64
    }
    %one_more = arith.constant 1 : i64
    %count = arith.addi %steps, %one_more : i64
    scf.yield %next, %count : i64, i64
  }
  return %r#1 : i64
}

func.func @find(%data: memref<?xi32>, %key: i32, %size: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %r = scf.while (%i = %c0) : (index) -> index {
    %inside = arith.cmpi ult, %i, %size : index
    %go = scf.if %inside -> (i1) {
      %v = memref.load %data[%i] : memref<?xi32>
      %miss = arith.cmpi ne, %v, %key : i32
      scf.yield %miss : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %dead = arith.addi %i, %size : index
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return %r : index
}
