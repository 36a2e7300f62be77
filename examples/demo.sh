#!/bin/sh
# passel-opt at work, from simplifying two kernels to a misspelt pass. `make demo` runs it.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"

title() { printf '\n==== %s\n\n' "$1"; }

# Print a command, then run it.
show() {
    printf '$'
    for word; do
        case $word in
        *[\(\{]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$@"
}

kernels=examples/kernels.mlir
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

title 'Before'
cat $kernels

title 'After: simplify each function, then drop the private ones that are left unused'
show passel-opt $kernels -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'

title "With a pass of one's own, from examples/hoist_constants.py: what each pass changes"
show passel-opt $kernels --load-pass-plugin=examples/hoist_constants.py \
    -p 'builtin.module(func.func(cse,hoist-constants{limit=8}))' \
    --mlir-print-ir-diff -o "$scratch/out.mlir" 2>&1

title 'What it cost, and what it did'
show passel-opt $kernels -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)' \
    --mlir-timing --mlir-pass-statistics -o "$scratch/out.mlir" 2>&1

title 'A pass that fails leaves a file behind that replays the failure'
show passel-opt $kernels --load-pass-plugin=examples/hoist_constants.py \
    -p 'builtin.module(func.func(cse,hoist-constants{limit=-1}))' \
    --mlir-pass-pipeline-crash-reproducer="$scratch/repro.mlir" 2>&1 | tail -n 2

title 'A misspelt pass'
show passel-opt $kernels -p 'builtin.module(func.func(cse,canonicalise),symbol-dce)' 2>&1 || true
