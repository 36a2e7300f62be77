// A plugin is a file or a module that can be imported.
// RUN: passel-opt %s --load-pass-plugin=%inputs/passes.py --mark | FileCheck %s
// RUN: env PYTHONPATH=%inputs:%pythonpath passel-opt %s --load-pass-plugin=passes --mark | FileCheck %s

// CHECK: func.func @f() attributes {seen = 1 : i32}
func.func @f() {
  return
}
