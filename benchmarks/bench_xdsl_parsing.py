"""Parsing with templates against xDSL's parser, on what compilers print and on the opposite.

Both build the IR in this process; passel attaches locations, xDSL does not. The garbage
collector is off for both, which only passel does by itself.
"""

import gc
from functools import partial

from kernels import inputs_of, mlir_opt
from measuring import compare, peer, wants_quick
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.ir import Operation
from xdsl.parser import Parser

from passel.xdsl import parse_source
from passel.xdsl.fast import slow_paths


def context() -> Context:
    """Return a context in which dialects load as they are met."""
    result = Context()
    for name, factory in get_all_dialects().items():
        result.register_dialect(name, factory)
    return result


def xdsl_parse(text: str) -> Operation:
    """Parse as `xdsl-opt` does, but for the garbage collector."""
    gc.disable()
    try:
        return Parser(context(), text, "bench.mlir").parse_module()
    finally:
        gc.enable()


def passel_parse(text: str) -> Operation:
    """Parse as passel does, with locations."""
    return parse_source(context(), text, "bench.mlir")


def passel_parse_slowly(text: str) -> Operation:
    """Parse as passel does without templates."""
    with slow_paths():
        return passel_parse(text)


def main() -> None:
    """Measure everything and print the tables."""
    quick = wants_quick()
    size, rounds = (2, 2) if quick else (60, 5)
    inputs = inputs_of(size)
    if peer("mlir") is not None:
        branches = inputs["the same with branches (cf)"]
        inputs["the same in generic form"] = mlir_opt(branches, "--mlir-print-op-generic")
    for name, text in inputs.items():
        ops = sum(1 for _ in passel_parse(text).walk())
        compare(
            f"parse {name}, {ops} ops",
            {
                "xdsl": partial(xdsl_parse, text),
                "passel, each op anew": partial(passel_parse_slowly, text),
                "passel": partial(passel_parse, text),
            },
            rounds=rounds,
            unit="µs/op",
            scale=1e6 / ops,
        ).show()


if __name__ == "__main__":
    main()
