// Filters choose remarks by their whole category, of all kinds or one; the form is that of mlir-opt.
// DEFINE: %{run} = passel-opt %s --load-pass-plugin=%inputs/remarks.py --test-remark -o %t.mlir
// RUN: %{run} --remarks-filter-passed=one-passed 2>&1 | FileCheck %s --check-prefix=PASSED --implicit-check-not=remark:
// RUN: %{run} --remarks-filter-missed=a-.* 2>&1 | FileCheck %s --check-prefix=MISSED --implicit-check-not=remark:
// RUN: %{run} --remarks-filter-failed=two-failed 2>&1 | FileCheck %s --check-prefix=FAILED --implicit-check-not=remark:
// RUN: %{run} --remarks-filter-analyse='^two-a.*$' 2>&1 | FileCheck %s --check-prefix=ANALYSIS --implicit-check-not=remark:
// RUN: %{run} --remarks-filter-passed=one 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: %{run} --remarks-filter='one.*' --remarks-filter-missed=.*missed --remark-policy=final 2>&1 | FileCheck %s --check-prefix=FINAL --implicit-check-not=dropped
// RUN: %{run} --remarks-filter=one-passed --remark-policy=final --remark-format=yaml --remarks-output-file=%t.yaml 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: FileCheck %s --check-prefix=YAML --implicit-check-not=dropped < %t.yaml
// RUN: %{run} --remarks-filter=.* --mlir-diagnostic-verbosity-level=warnings 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: not %{run} --remarks-filter-failed='(' 2>&1 | FileCheck %s --check-prefix=PATTERN
// RUN: not %{run} --remark-format=bitstream 2>&1 | FileCheck %s --check-prefix=BITSTREAM

func.func @f() {
  return
}

// PASSED:      flags.mlir:16:1: remark: [Passed] test | Category:one-passed | Function=f | Reason="a test", Remark="passed, to be dropped", Suggestion="read {it}"
// PASSED-NEXT: {{^}}func.func @f() {
// PASSED-NEXT: ^
// PASSED-NEXT: flags.mlir:16:1: remark: [Passed] test | Category:one-passed | Function=f | Reason="a test", Remark=passed, Suggestion="read {it}"
// PASSED:      flags.mlir:17:3: remark: [Passed] test
// PASSED:      flags.mlir:17:3: remark: [Passed] test
// MISSED:      flags.mlir:16:1: remark: [Missed] test | Category:a-missed | Function=f | Reason="a test", Remark=missed, Suggestion="read {it}"
// MISSED:      flags.mlir:17:3: remark: [Missed] test
// FAILED:      flags.mlir:16:1: remark: [Failure] test | Category:two-failed | Function=f | Remark=failed, last=true, share=5.000000e-01, times=2
// FAILED:      flags.mlir:17:3: remark: [Failure] test
// ANALYSIS:    flags.mlir:16:1: remark: [Analysis] test | Category:two-analysis | Function=f |
// ANALYSIS:    flags.mlir:17:3: remark: [Analysis] test
// FINAL:       16:1: remark: [Missed]
// FINAL:       16:1: remark: [Passed]
// FINAL:       17:3: remark: [Missed]
// FINAL:       17:3: remark: [Passed]
// YAML:      --- !Passed
// YAML-NEXT: {{^}}Pass:            one-passed
// YAML-NEXT: {{^}}Name:            test
// YAML-NEXT: {{^}}DebugLoc:        { File: '{{.*}}flags.mlir', 
// YAML:      {{^}}Function:        f
// YAML-NEXT: {{^}}Args:
// YAML-NEXT: {{^}}  - Remark:          passed
// YAML-NEXT: {{^}}  - Reason:          a test
// YAML-NEXT: {{^}}  - Suggestion:      'read {it}'
// YAML-NEXT: {{^}}...
// YAML-NEXT: --- !Passed
// NONE-NOT:  {{.}}
// PATTERN:   passel-opt: error: '--remarks-filter': '(' is not a regular expression: missing ), unterminated subpattern
// BITSTREAM: passel-opt: error: '--remark-format=bitstream' is not available: convert --remark-format=yaml output with 'llvm-remarkutil yaml2bitstream'
