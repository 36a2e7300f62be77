#!/bin/sh
# jaxlib 0.10.2: its MLIR bindings know no pass, not even `cse`, until dialects are registered in any registry.
#
# `passmanager.PassManager.parse` refuses every name in a fresh process. A call of `_jax_mlir_ext.register_dialects` with a
# registry that is thrown away at once makes `cse`, `canonicalize`, `inline` and `symbol-dce` known in the whole process,
# also for contexts that have never seen that registry. Passes of other dialects stay unknown. In upstream's bindings all
# passes are there after the import.
#
# Seen: "cse: unknown" before, "cse: known" after.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check jaxlib==0.10.2
"$folder/venv/bin/python" - <<'PY'
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir._mlir_libs import _jax_mlir_ext

NAMES = ("cse", "canonicalize", "inline", "symbol-dce", "convert-scf-to-cf")


def known() -> set[str]:
    found = set()
    for name in NAMES:
        with ir.Context():
            try:
                passmanager.PassManager.parse(f"builtin.module({name})")
                found.add(name)
            except ValueError:
                pass
        print(f"{name}: {'known' if name in found else 'unknown'}")
    return found


assert known() == set()
_jax_mlir_ext.register_dialects(ir.DialectRegistry())
assert known() == set(NAMES) - {"convert-scf-to-cf"}
PY
echo "as described"
