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

title "A pass of one's own, from examples/hoist_constants.py: what it changes"
passel-opt $kernels -o "$scratch/before.mlir"
show passel-opt $kernels --load-pass-plugin=examples/hoist_constants.py \
    -p 'builtin.module(func.func(hoist-constants{limit=8}))' > "$scratch/after.mlir"
head -n 1 "$scratch/after.mlir"
sed 1d "$scratch/after.mlir" | diff -U 0 "$scratch/before.mlir" - | grep '^[-+] ' || true

title 'A misspelt pass'
show passel-opt $kernels -p 'builtin.module(func.func(cse,canonicalise),symbol-dce)' 2>&1 || true
