#!/bin/sh
# circt 1.162.0, for Python 3.13: of MLIR's general passes, its bindings register cse and canonicalize alone.
#
# symbol-dce, inline, sccp and strip-debuginfo "do not refer to a registered pass", though CIRCT's own passes are there. Its
# contexts have no dialect but builtin until circt.register_dialects(context) is called, not with a DialectRegistry as a
# function of that name elsewhere: given a registry, it ends the process.
#
# Seen: "registered: cse canonicalize hw-cleanup", "missing: symbol-dce inline sccp strip-debuginfo", "func before: no, after: yes".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3.13 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check circt==1.162.0
"$folder/venv/bin/python" - <<'EOF' | tee "$folder/out"
import circt
from circt.ir import Context, MLIRError, Module
from circt.passmanager import PassManager


def registered(name):
    try:
        PassManager.parse(f"any({name})", context)
    except ValueError:
        return False
    return True


def has_func():
    try:
        Module.parse("func.func private @f()", context)
    except MLIRError:
        return "no"
    return "yes"


context = Context()
names = "cse canonicalize hw-cleanup symbol-dce inline sccp strip-debuginfo".split()
print("registered:", *filter(registered, names))
print("missing:", *[name for name in names if not registered(name)])
before = has_func()
circt.register_dialects(context)
print(f"func before: {before}, after: {has_func()}")
EOF
grep -q '^registered: cse canonicalize hw-cleanup$' "$folder/out"
grep -q '^missing: symbol-dce inline sccp strip-debuginfo$' "$folder/out"
grep -q '^func before: no, after: yes$' "$folder/out"
echo "as described"
