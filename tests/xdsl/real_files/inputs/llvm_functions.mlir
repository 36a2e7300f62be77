// The LLVM dialect: functions with branches, memory and calls; cse runs on the module's level.
llvm.mlir.global internal constant @greeting("hello\00") {addr_space = 0 : i32}

llvm.func @puts(!llvm.ptr) -> i32

llvm.func @absolute(%x: i64) -> i64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %zero_again = llvm.mlir.constant(0 : i64) : i64
  %negative = llvm.icmp "slt" %x, %zero : i64
  llvm.cond_br %negative, ^flip, ^done(%x : i64)
^flip:
  %flipped = llvm.sub %zero_again, %x : i64
  llvm.br ^done(%flipped : i64)
^done(%r: i64):
  llvm.return %r : i64
}

llvm.func @sum(%data: !llvm.ptr, %n: i64) -> i32 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %none = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^head(%zero, %none : i64, i32)
^head(%i: i64, %acc: i32):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^exit
^body:
  %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %p_again = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %v = llvm.load %p : !llvm.ptr -> i32
  %next = llvm.add %acc, %v : i32
  %j = llvm.add %i, %one : i64
  llvm.br ^head(%j, %next : i64, i32)
^exit:
  llvm.return %acc : i32
}

llvm.func @greet() -> i32 {
  %a = llvm.mlir.addressof @greeting : !llvm.ptr
  %b = llvm.mlir.addressof @greeting : !llvm.ptr
  %r = llvm.call @puts(%b) : (!llvm.ptr) -> i32
  llvm.return %r : i32
}
