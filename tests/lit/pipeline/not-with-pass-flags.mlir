// A pipeline and pass flags exclude each other.
// RUN: not passel-opt %s -p 'builtin.module(cse)' --dce 2>&1 | FileCheck %s
// RUN: not passel-opt %s --dce -p 'builtin.module(' 2>&1 | FileCheck %s

// CHECK: passel-opt: error: '--pass-pipeline' can't be used with individual pass options such as '--dce'
