// Expectations are about MLIR's diagnostics: neither that a pass failed nor a hint is one of them.
// RUN: passel-opt --ir=mlir %s --tosa-validate --split-input-file --verify-diagnostics -o %t.out

func.func @f(%a: tensor<4xi4>) -> tensor<4xi4> {
  // expected-error @+1 {{illegal}}
  %0 = tosa.abs %a : (tensor<4xi4>) -> tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

// expected-error @+1 {{operation being parsed with an unregistered dialect}}
"test.x"() : () -> ()
