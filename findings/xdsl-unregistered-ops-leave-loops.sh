#!/bin/sh
# xdsl 0.74.0: `canonicalize` moves unregistered ops out of `scf.for`, and then drops the loop.
#
# The pattern RehoistConstInLoops moves what has the trait ConstantLike out of a loop. `has_trait` of an unregistered op is true by
# default (`value_if_unregistered`), so an op of unknown effects is taken for a constant: it runs once, however often the loop does.
# If it uses a value of the loop's body, the result is invalid.
#
# Seen: func.func @f(%n : index) { "test.print"() : () -> ()  func.return }, without the loop.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check xdsl==0.74.0
cat > "$folder/in.mlir" <<'MLIR'
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    "test.print"() : () -> ()
  }
  func.return
}
MLIR
"$folder/venv/bin/xdsl-opt" "$folder/in.mlir" -p canonicalize --allow-unregistered-dialect | tee "$folder/out"
grep -q '"test.print"' "$folder/out"
if grep -q scf.for "$folder/out"; then exit 1; fi
echo "as described"
