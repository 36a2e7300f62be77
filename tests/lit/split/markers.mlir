// Each part is processed by itself; the markers come back in the output.
// RUN: passel-opt %s --split-input-file | FileCheck %s

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @same() {
// CHECK:      // {{-----}}
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func @same() {
// CHECK:      // {{-----}}
// CHECK-NEXT: builtin.module {
// CHECK-NEXT: }
func.func @same() {
  return
}
// -----
func.func @same() {
  return
}
// -----
