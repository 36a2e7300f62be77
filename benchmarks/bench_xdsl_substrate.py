"""What the xDSL adapter does before and between passes, against xDSL itself."""

import sys

from bench_xdsl_parsing import context, passel_parse
from inputs import functions_of_40_ops
from measuring import compare, compare_processes, wants_quick
from xdsl.ir import Operation
from xdsl.parser import Parser

from passel.xdsl.fingerprint import fingerprint
from passel.xdsl.verification import verify


def xdsl_parse(text: str) -> Operation:
    """Parse as `xdsl-opt` does."""
    return Parser(context(), text, "bench.mlir").parse_module()


PARSERS = {"xdsl": xdsl_parse, "passel": passel_parse}


def main() -> None:
    """Measure everything and print the tables."""
    quick = wants_quick()
    functions, rounds = (2, 2) if quick else (250, 7)
    parsing = {
        name: [sys.executable, __file__, "--parse", name, str(functions)] for name in PARSERS
    }
    _, memory, _ = compare_processes("parse", dict(parsing), rounds=1 if quick else 3)
    memory.show()

    text = functions_of_40_ops(functions)
    module = passel_parse(text)
    ops = sum(1 for _ in module.walk())
    taken, again = fingerprint(module), fingerprint(module)
    assert taken == again
    compare(
        f"parse {ops} ops",
        {"xdsl": lambda: xdsl_parse(text), "passel": lambda: passel_parse(text)},
        rounds=rounds,
        unit="µs/op",
        scale=1e6 / ops,
    ).show()
    compare(
        f"verify {ops} ops",
        {
            "xdsl: Operation.verify": module.verify,
            "passel: verify": lambda: verify(module, recursive=True),
            "passel: take a fingerprint": lambda: fingerprint(module),
            "passel: compare two fingerprints": lambda: taken == again,
        },
        rounds=rounds,
        unit="µs/op",
        scale=1e6 / ops,
    ).show()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--parse"]:
        kept_alive = PARSERS[sys.argv[2]](functions_of_40_ops(int(sys.argv[3])))
    else:
        main()
