// The pipeline that would run, without options that equal their defaults: what files to compare with hold.
// RUN: passel-opt -p 'builtin.module( func.func(cse,  canonicalize{}),symbol-dce)' --print-pipeline | FileCheck %s --check-prefix=TEXT
// RUN: passel-opt --cse --convert-func-to-x86-func --print-pipeline | FileCheck %s --check-prefix=FLAGS
// RUN: not passel-opt --print-pipeline 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not passel-opt --cse --print-pipeline --lint 2>&1 | FileCheck %s --check-prefix=BOTH

// TEXT: {{^}}builtin.module(func.func(cse,canonicalize),symbol-dce){{$}}
// FLAGS: {{^}}builtin.module(cse,convert-func-to-x86-func){{$}}
// NOTHING: error: '--print-pipeline' is about a pipeline: give one with -p, or passes as flags
// BOTH: error: '--lint' and '--print-pipeline' both stand in place of a run: give one
