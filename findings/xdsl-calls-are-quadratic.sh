#!/bin/sh
# xdsl 0.74.0: reading a module takes time that grows as the square of its functions if these call each other, with no pass.
#
# The verifier of `func.call` looks its symbol up by a walk through the module's ops, for each call. xdsl-opt verifies what
# it has read and what it prints. With four times the functions, each a single call, it looks at sixteen times the ops;
# functions of the same size that call nothing take four times as long, as one expects.
#
# Seen: 15 to 17 times the symbols compared for 1,200 functions as for 300 (counted, not timed).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check xdsl==0.74.0
cat > "$folder/count.py" <<'PY'
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.parser import Parser
from xdsl.traits import SymbolOpInterface

looked_at = 0
get = SymbolOpInterface.get_sym_attr_name


def counted(self, op):
    global looked_at
    looked_at += 1
    return get(self, op)


def verified(functions: int) -> int:
    """Return how many symbols were looked at to verify so many functions that call each other."""
    global looked_at
    text = "".join(
        f"func.func @f{i}() {{ func.call @f{(i + 1) % functions}() : () -> () func.return }}\n"
        for i in range(functions)
    )
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Func)
    module = Parser(context, text).parse_module()
    looked_at = 0
    SymbolOpInterface.get_sym_attr_name = counted
    module.verify()
    SymbolOpInterface.get_sym_attr_name = get
    return looked_at


few, many = verified(300), verified(1200)
print(f"300 functions: {few} symbols looked at; 1,200: {many}; ratio {many / few:.1f}")
assert 15 <= many / few <= 17
PY
"$folder/venv/bin/python" "$folder/count.py"
echo "as described"
