// A run that stops after a pass, and one that starts there, do what one run does.

// RUN: passel-opt %s -p "builtin.module(func.func(cse,canonicalize),symbol-dce)" --stop-after=cse -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=STOPPED
// RUN: passel-opt %t.mlir -p "builtin.module(func.func(cse,canonicalize),symbol-dce)" --start-after=cse -o %t.end
// RUN: passel-opt %s -p "builtin.module(func.func(cse,canonicalize),symbol-dce)" -o %t.whole
// RUN: diff %t.end %t.whole

// A place may be on one op: those behind it have not been worked on.
// RUN: passel-opt %s -p "builtin.module(func.func(cse,canonicalize),symbol-dce)" --stop-after=func.func/1:canonicalize@f | FileCheck %s --check-prefix=ON-F

// A record has the IR at each place, and the pipeline.
// RUN: passel-opt %s -p "builtin.module(func.func(cse,canonicalize),symbol-dce)" --record=%t.record -o /dev/null
// RUN: passel-opt %t.record --start-after=cse -o %t.again
// RUN: diff %t.again %t.whole
// RUN: passel-opt %t.record --start-after=canonicalize@f -o %t.again
// RUN: diff %t.again %t.whole
// RUN: passel-opt %t.record -o %t.again
// RUN: diff %t.again %t.whole
// RUN: passel-opt %t.record --start-after=cse --stop-after=cse | FileCheck %s --check-prefix=STOPPED

// A place has the name that the op had when the pass began, also if the pass has renamed the op.
// RUN: printf 'from passel import Pass\nfrom xdsl.dialects.builtin import StringAttr\nclass Rename(Pass):\n    name = "rename"\n    def run(self, op, ctx):\n        op.properties["sym_name"] = StringAttr(op.sym_name.data + "_new")\n' > %t.py
// RUN: passel-opt %s --load-pass-plugin=%t.py -p "builtin.module(func.func(rename,cse))" --record=%t.record -o %t.whole
// RUN: passel-opt %t.record --load-pass-plugin=%t.py --start-after=rename@f -o %t.again
// RUN: diff %t.again %t.whole

// STOPPED: func.func @f
// STOPPED-NEXT: arith.addi
// STOPPED-NEXT: arith.constant
// STOPPED-NEXT: arith.addi
// STOPPED-NEXT: return
// STOPPED: func.func private @unused
// ON-F: func.func @f
// ON-F-NEXT: arith.addi
// ON-F-NEXT: return
// ON-F: func.func @g
// ON-F-NEXT: arith.addi
// ON-F-NEXT: arith.addi
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %c = arith.constant 0 : i32
  %1 = arith.addi %0, %c : i32
  return %1 : i32
}
func.func @g(%x: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  return %0, %1 : i32, i32
}
func.func private @unused()
