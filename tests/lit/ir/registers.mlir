// RISC-V additions and multiplications with constants, copies of constants, or equal operands are
// rewritten as without fast paths, and all others stay.
// RUN: passel-opt --allow-unregistered-dialect -p canonicalize %s | FileCheck %s
// RUN: passel-opt --allow-unregistered-dialect -p canonicalize --no-fast-paths %s | FileCheck %s

%x, %y = "test.op"() : () -> (!riscv.reg, !riscv.reg)
%zero = rv32.li 0 : !riscv.reg
%one = rv32.li 1 : !riscv.reg
%two = rv32.li 2 : !riscv.reg
%label = rv32.li "label" : !riscv.reg
%copy = riscv.mv %two : (!riscv.reg) -> !riscv.reg
%again = riscv.mv %copy : (!riscv.reg) -> !riscv.reg
%moved = riscv.mv %x : (!riscv.reg) -> !riscv.reg
%nothing = rv32.get_register : !riscv.reg<zero>

// CHECK: %0 = riscv.mv %x
// CHECK-NEXT: %1 = riscv.mv %zero
// CHECK-NEXT: %2 = riscv.mv %nothing
// CHECK-NEXT: %3 = riscv.mul %x, %two
// CHECK-NEXT: %4 = rv32.li 4
// CHECK-NEXT: "first"
%0 = riscv.mul %x, %one : (!riscv.reg, !riscv.reg) -> !riscv.reg
%1 = riscv.mul %x, %zero : (!riscv.reg, !riscv.reg) -> !riscv.reg
%2 = riscv.mul %x, %nothing : (!riscv.reg, !riscv.reg<zero>) -> !riscv.reg
%3 = riscv.mul %two, %x : (!riscv.reg, !riscv.reg) -> !riscv.reg
%4 = riscv.mul %again, %two : (!riscv.reg, !riscv.reg) -> !riscv.reg
"first"(%0, %1, %2, %3, %4) : (!riscv.reg, !riscv.reg, !riscv.reg, !riscv.reg, !riscv.reg) -> ()

// CHECK-NEXT: %5 = riscv.mul %x, %y
// CHECK-NEXT: %6 = riscv.mul %x, %copy
// CHECK-NEXT: %7 = riscv.mul %moved, %label
// CHECK-NEXT: %8 = riscv.add %moved, %y
// CHECK-NEXT: "second"
%5 = riscv.mul %x, %y : (!riscv.reg, !riscv.reg) -> !riscv.reg
%6 = riscv.mul %x, %copy : (!riscv.reg, !riscv.reg) -> !riscv.reg
%7 = riscv.mul %moved, %label : (!riscv.reg, !riscv.reg) -> !riscv.reg
%8 = riscv.add %moved, %y : (!riscv.reg, !riscv.reg) -> !riscv.reg
"second"(%5, %6, %7, %8) : (!riscv.reg, !riscv.reg, !riscv.reg, !riscv.reg) -> ()

// CHECK-NEXT: %9 = riscv.addi %x, 2
// CHECK-NEXT: %10 = riscv.addi %x, 2
// CHECK-NEXT: %11 = riscv.addi %x, 2
// CHECK-NEXT: %12 = rv32.li 2
// CHECK-NEXT: %13 = riscv.mul %x, %12
// CHECK-NEXT: %14 = riscv.mv %x
// CHECK-NEXT: %15 = riscv.add %x, %label
// CHECK-NEXT: "third"
%9 = riscv.add %x, %two : (!riscv.reg, !riscv.reg) -> !riscv.reg
%10 = riscv.add %x, %again : (!riscv.reg, !riscv.reg) -> !riscv.reg
%11 = riscv.add %copy, %x : (!riscv.reg, !riscv.reg) -> !riscv.reg
%12 = riscv.add %x, %x : (!riscv.reg, !riscv.reg) -> !riscv.reg
%13 = riscv.add %x, %nothing : (!riscv.reg, !riscv.reg<zero>) -> !riscv.reg
%14 = riscv.add %x, %label : (!riscv.reg, !riscv.reg) -> !riscv.reg
"third"(%9, %10, %11, %12, %13, %14) : (!riscv.reg, !riscv.reg, !riscv.reg, !riscv.reg, !riscv.reg, !riscv.reg) -> ()
