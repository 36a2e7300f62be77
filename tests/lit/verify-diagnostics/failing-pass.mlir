// The exit code depends on expectations alone: a failure that is expected is none.
// RUN: passel-opt %s --verify-diagnostics --load-pass-plugin=%inputs/passes.py --fail > %t.out
// RUN: diff /dev/null %t.out

// expected-error@below {{'func.func' op pass 'fail' failed: @bad is not wanted}}
func.func @bad() {
  return
}
