#!/bin/sh
# passel at work, from a misspelt pass to the one that broke a kernel: `make demo` runs it.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
export PYTHONDONTWRITEBYTECODE=1

folder=$(mktemp -d "${TMPDIR:-/tmp}/passel-demo.XXXXXX")
cp examples/kernels.mlir examples/hoist_constants.py "$folder"
cd "$folder"
cat > commute.py <<'EOF'
from xdsl.dialects.arith import MulfOp, SelectOp

from passel import Pass


class Commute(Pass):
    """Swap operands: right for a product, wrong for a choice."""

    name = "commute"

    def run(self, op, ctx):
        for inner in op.walk():
            if isinstance(inner, MulfOp | SelectOp):
                *first, a, b = inner.operands
                inner.operands = [*first, b, a]
EOF

title() { printf '\n==== %s\n\n' "$1"; }

# Print a command, then run it; one that fails is part of the show.
show() {
    printf '$ %s\n' "$1"
    eval "$1" 2>&1 || true
}

{
    title 'Two kernels, full of repetition'
    show 'cat kernels.mlir'

    title 'A misspelt pass'
    show "passel-opt kernels.mlir -p 'builtin.module(func.func(canonicalise))'"

    title 'Simplify each function, then drop private ones that are left unused'
    show "passel-opt kernels.mlir \\
    -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'"

    title "A pass of one's own, in hoist_constants.py: what it changes"
    show "passel-opt kernels.mlir --load-pass-plugin=hoist_constants.py \\
    -p 'builtin.module(func.func(hoist-constants{limit=8}))' \\
    --mlir-print-ir-diff -o out.mlir"

    title 'What it costs'
    show "passel-opt kernels.mlir --mlir-timing -o out.mlir \\
    -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'"

    title 'A pass that fails leaves a file, which replays the failure'
    show "passel-opt kernels.mlir --load-pass-plugin=hoist_constants.py \\
    -p 'builtin.module(func.func(cse,hoist-constants{limit=-1}))' \\
    --mlir-pass-pipeline-crash-reproducer=repro.mlir \\
    --mlir-print-op-on-diagnostic=false"

    title 'A pass that is wrong: nothing fails, but a kernel computes something else'
    show 'cat commute.py'
    show "passel-opt kernels.mlir --load-pass-plugin=commute.py -o out.mlir \\
    -p 'builtin.module(func.func(cse,commute,canonicalize))' \\
    --record=run.passel"
    show 'passel-bisect run.passel --computes-else'
    show 'passel-report run.passel --step=commute --op=@leaky_relu --diff'
    show 'passel-report run.passel -o report.html'

    title "All files are in $folder: open report.html"
} | while IFS= read -r line; do
    case $line in
    'to '* | '// to '*) printf '%s\n' "$line" ;;  # a command to copy
    *) printf '%s\n' "$line" | fold -s -w 80 ;;
    esac
done
