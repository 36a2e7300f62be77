// --lint holds a pipeline to its contracts.

// RUN: not passel-opt %s --load-pass-plugin=%inputs/contracts.py --lint -p 'builtin.module(generate,careless,materialize)' 2>&1 | FileCheck %s

// CHECK: --pass-pipeline:1:25: error: pass 'careless' [builtin.module/1:careless] between 'generate' [builtin.module/0:generate] and 'materialize' [builtin.module/2:materialize] does not claim to preserve Schedule
