"""Printing with the fast printer against xDSL's, on what compilers print and on the opposite.

The garbage collector is off for both.
"""

from functools import partial
from io import StringIO

from bench_xdsl_parsing import passel_parse
from kernels import for_riscv, inputs_of
from measuring import compare, peer, wants_quick
from xdsl.ir import Operation
from xdsl.printer import Printer

from passel.ir import PrintFlags
from passel.xdsl.parsing import collector_paused
from passel.xdsl.printing import printed


def xdsl_print(op: Operation, flags: PrintFlags) -> str:
    """Print as `xdsl-opt` does."""
    stream = StringIO()
    with collector_paused():
        Printer(stream, print_generic_format=flags.generic).print_op(op)
    return stream.getvalue()


def passel_print(op: Operation, flags: PrintFlags) -> str:
    """Print as passel does."""
    with collector_paused():
        return printed(op, flags)


def main() -> None:
    """Measure everything and print the tables."""
    quick = wants_quick()
    size, rounds = (2, 2) if quick else (60, 5)
    inputs = inputs_of(size)
    if peer("mlir") is not None:
        inputs["the same for RISC-V"] = for_riscv(max(1, size // 6))
    for name, text in inputs.items():
        module = passel_parse(text)
        ops = sum(1 for _ in module.walk())
        for flags in (PrintFlags(), PrintFlags(generic=True)):
            assert passel_print(module, flags) == xdsl_print(module, flags)
            compare(
                f"print {name}{', in generic form' * flags.generic}, {ops} ops",
                {
                    "xdsl": partial(xdsl_print, module, flags),
                    "passel": partial(passel_print, module, flags),
                },
                rounds=rounds,
                unit="µs/op",
                scale=1e6 / ops,
            ).show()


if __name__ == "__main__":
    main()
