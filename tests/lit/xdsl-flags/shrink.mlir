// `--shrink` succeeds exactly if a pass raised ShrinkException.
// RUN: passel-opt %s --load-pass-plugin=%inputs/module_passes.py --shrink --interesting | FileCheck %s
// RUN: not passel-opt %s --load-pass-plugin=%inputs/module_passes.py --shrink --greet | FileCheck %s --check-prefix=NOT

// CHECK: Success, can shrink
// NOT: Failure, can't shrink
func.func private @a()
