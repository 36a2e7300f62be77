#!/bin/sh
# xdsl 0.74.0: printing a dense f32 constant and parsing it again can change its value.
#
# Where the nine significant digits of an f32 come out without a point, xDSL prints the element as the hexadecimal of its
# bits, unquoted. Its parser takes an unquoted hexadecimal in a dense constant for an integer and converts that to a float, so
# that the speed of light becomes 1.3e9. MLIR's parser reads the same text as bits. There is no error and no warning.
# A scalar attribute of the same value is not affected.
#
# Seen: 2.99792458e+08 -> dense<0x4D8EF3C2> -> dense<1.30121421e+09>
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check xdsl==0.74.0
printf '"test.op"() {a = dense<2.99792458e+08> : tensor<1xf32>} : () -> ()\n' > "$folder/0.mlir"
"$folder/venv/bin/xdsl-opt" "$folder/0.mlir" > "$folder/1.mlir"
"$folder/venv/bin/xdsl-opt" "$folder/1.mlir" > "$folder/2.mlir"
cat "$folder/1.mlir" "$folder/2.mlir"
grep -q 'dense<0x4D8EF3C2>' "$folder/1.mlir"
grep -q 'dense<1.30121421e+09>' "$folder/2.mlir"
echo "as described"
