// Address computations on indices.
func.func @linearize(%i: index, %j: index, %k: index) -> index {
  %rows = arith.constant 32 : index
  %columns = arith.constant 64 : index
  %rows_again = arith.constant 32 : index
  %a = arith.muli %i, %rows : index
  %b = arith.addi %a, %j : index
  %c = arith.muli %b, %columns : index
  %d = arith.addi %c, %k : index
  %a_again = arith.muli %i, %rows_again : index
  %b_again = arith.addi %a_again, %j : index
  %check = arith.cmpi eq, %b, %b_again : index
  %zero = arith.constant 0 : index
  %r = arith.select %check, %d, %zero : index
  return %r : index
}

func.func @round_up(%n: index) -> index {
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %eight = arith.constant 8 : index
  %a = arith.addi %n, %c7 : index
  %b = arith.divui %a, %c8 : index
  %c = arith.muli %b, %eight : index
  return %c : index
}

func.func @bounds(%a: index, %b: index) -> (index, index) {
  %lo = arith.minui %a, %b : index
  %hi = arith.maxui %a, %b : index
  %lo_again = arith.minui %a, %b : index
  %unused = arith.maxsi %lo, %hi : index
  return %lo_again, %hi : index, index
}

func.func @casts(%x: i64) -> i64 {
  %i = arith.index_cast %x : i64 to index
  %i_again = arith.index_cast %x : i64 to index
  %two = arith.constant 2 : index
  %j = arith.muli %i, %two : index
  %k = arith.addi %j, %i_again : index
  %r = arith.index_cast %k : index to i64
  return %r : i64
}

func.func @halves(%n: index) -> index {
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : index
  %h = arith.divsi %n, %c2 : index
  %h_again = arith.divsi %n, %c2 : index
  %m = arith.muli %h, %one : index
  %s = arith.addi %m, %h_again : index
  return %s : index
}
