"""What each fast path gains: a whole run in this process, with all of them and without one.

It prints the table of `docs/from-xdsl-opt.md`: by how many percent a run is shorter with the path.
"""

from __future__ import annotations

from functools import lru_cache, partial
from io import StringIO
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from bench_xdsl_parsing import context
from inputs import functions_of_40_ops
from kernels import mlir_opt, unrolled_loops, with_branches
from measuring import compare, peer, wants_quick
from xdsl.printer import Printer
from xdsl.transforms.dead_code_elimination import region_dce

from passel import PassManager
from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter, fast, parse_source, parsing, printing
from passel.xdsl.fast import template_parser
from passel.xdsl.fast.templates import LineParts, parts_of_line, shape_of
from passel.xdsl.passes import canonicalize
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from xdsl.pattern_rewriter import RewritePattern

_PIPELINE = "builtin.module(canonicalize,cse,dce)"


def _off(name: str) -> AbstractContextManager[Any]:
    """Replace a switch in `passel.xdsl.fast` by one that switches off."""
    switch: Any = getattr(fast, name)

    def switch_off(*, remember: bool) -> None:
        switch(remember=remember and False)

    return patch.object(fast, name, switch_off)


WITHOUT: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "lines from templates": lambda: patch.object(parsing, "make_parser", SourceParser),
    "integers and symbols left out of templates": lambda: patch.object(
        template_parser, "parts_of_line", _unvaried
    ),
    "definitions, remembered": lambda: _off("remember_definitions"),
    "symbols, in tables": lambda: _off("remember_symbols"),
    "what canonicalize asks": lambda: patch.object(canonicalize, "QuickPattern", _itself),
    "printing from templates": lambda: patch.object(printing, "printer_class", lambda: Printer),
    "dead code in one walk": lambda: patch.object(canonicalize, "erase_dead_code", region_dce),
}
"""The fast paths, each as what does without it."""


def _itself(pattern: RewritePattern) -> RewritePattern:
    return pattern


@lru_cache
def _unvaried(line: str) -> LineParts:
    key, names = shape_of(line)
    return parts_of_line(line)._replace(key=key, names=names, spelling="")


def run(text: str) -> str:
    """Read, verify, simplify and print a module, as the tool does."""
    here, adapter = context(), XDSLAdapter()
    module = parse_source(here, text, "bench.mlir")
    adapter.verify(module, recursive=True)
    PassManager.parse(_PIPELINE, here, adapter=adapter).run(module)
    printing.make_printer(PrintFlags(), stream=(stream := StringIO())).print_op(module)
    return stream.getvalue()


def without(path: str, text: str) -> Callable[[], str]:
    """Return a run without one fast path."""

    def run_without() -> str:
        with WITHOUT[path]():
            return run(text)

    return run_without


def main() -> None:
    """Measure everything and print the table."""
    quick = wants_quick()
    size, rounds = (1, 1) if quick else (10, 5)
    inputs = {"functions": functions_of_40_ops(10 * size)}
    if peer("mlir") is not None:
        inputs["loops (scf)"] = unrolled_loops(size)
        inputs["branches (cf)"] = with_branches(size)
        inputs["with locations"] = mlir_opt(
            inputs["branches (cf)"], "--mlir-print-op-generic", "--mlir-print-debuginfo"
        )
    gains: dict[str, list[str]] = {path: [] for path in WITHOUT}
    for name, text in inputs.items():
        candidates = {path: without(path, text) for path in WITHOUT}
        found = compare(
            name,
            {"all": partial(run, text), **candidates},
            rounds=rounds,
            unit="s",
            scale=1,
        ).samples
        for path, row in gains.items():
            pairs = zip(found["all"], found[path], strict=True)
            row.append(f"{100 * median(1 - fast / slow for fast, slow in pairs):.0f} %")
    print("How much shorter a run is with a path, by ratios of one run:\n")
    print(f"| without | {' | '.join(inputs)} |")
    print(f"|---|{'---:|' * len(inputs)}")
    for path, row in gains.items():
        print(f"| {path} | {' | '.join(row)} |")


if __name__ == "__main__":
    main()
