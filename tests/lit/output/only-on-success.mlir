// A file appears only if all went well; what was there before stays, and nothing else does.
// RUN: rm -rf %t && mkdir %t
// RUN: not passel-opt %s --split-input-file --load-pass-plugin=%inputs/passes.py --fail -o %t/new 2>&1 | FileCheck %s
// RUN: ls -A %t > %t.out
// RUN: diff /dev/null %t.out
// RUN: echo before > %t/old
// RUN: not passel-opt %s --split-input-file --load-pass-plugin=%inputs/passes.py --fail -o %t/old 2>&1 | FileCheck %s
// RUN: grep before %t/old
// RUN: ls -A %t > %t.ls && echo old > %t.1 && diff %t.1 %t.ls
// RUN: passel-opt %s --split-input-file -o %t/old
// RUN: grep @bad %t/old
// RUN: ls -A %t > %t.ls && diff %t.1 %t.ls

// CHECK: error: 'func.func' op pass 'fail' failed
func.func @good() {
  return
}
// -----
func.func @bad() {
  return
}
