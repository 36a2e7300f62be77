"""Measures what the xDSL adapter does before and between passes, against xDSL itself.

Run as `python benchmarks/bench_xdsl_substrate.py [functions] [rounds]`.  The candidates take
turns, and ratios are medians of paired rounds, so that noise hits both alike.  Memory is
each parser's peak in a process of its own.
"""

import gc
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.ir import Operation
from xdsl.parser import Parser

from passel.xdsl.fingerprint import fingerprint
from passel.xdsl.parsing import parse_source
from passel.xdsl.verification import verify

_BODY = """\
  func.func @f{n}(%a: i32, %b: i32, %m: memref<16x16xf32>, %c: index) -> i32 {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
{arithmetic}
    scf.for %i = %zero to %c step %one {{
      %v = memref.load %m[%i, %zero] : memref<16x16xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %m[%zero, %i] : memref<16x16xf32>
    }}
    %cmp = arith.cmpi slt, %z8, %b : i32
    %r = scf.if %cmp -> (i32) {{
      scf.yield %z8 : i32
    }} else {{
      %q = arith.constant {n} : i32
      scf.yield %q : i32
    }}
    func.return %r : i32
  }}
"""


def source(functions: int) -> str:
    """Return a module of functions of 40 ops, each with constants of its own."""
    return "".join(
        _BODY.format(
            n=n,
            arithmetic="\n".join(
                f"    %x{k} = arith.addi {f'%z{k - 1}' if k else '%a'}, %b : i32\n"
                f"    %y{k} = arith.constant {100 * n + k} : i32\n"
                f"    %z{k} = arith.muli %x{k}, %y{k} : i32"
                for k in range(9)
            ),
        )
        for n in range(functions)
    )


def context() -> Context:
    """Return a context in which dialects load as they are met."""
    result = Context()
    for name, factory in get_all_dialects().items():
        result.register_dialect(name, factory)
    return result


def xdsl_parse(text: str) -> Operation:
    """Parse as `xdsl-opt` does."""
    return Parser(context(), text, "bench.mlir").parse_module()


def passel_parse(text: str) -> Operation:
    """Parse as passel does, with locations."""
    return parse_source(context(), text, "bench.mlir")


PARSERS: dict[str, Callable[[str], Operation]] = {"xdsl": xdsl_parse, "passel": passel_parse}


def measure(candidates: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Time the candidates in turn; the first is the reference."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, candidate in candidates.items():
            gc.collect()
            start = perf_counter()
            kept = candidate()
            times[name].append(perf_counter() - start)
            del kept
    return times


def report(title: str, times: dict[str, list[float]], ops: int) -> None:
    """Print the smallest time per op, and the median ratio to the first candidate."""
    reference = next(iter(times.values()))
    print(f"\n{title:<26}{'us/op (min)':>12}{'ratio (median)':>16}")
    for name, measured in times.items():
        ratio = statistics.median(a / b for a, b in zip(measured, reference, strict=True))
        print(f"  {name:<24}{min(measured) / ops * 1e6:>12.2f}{ratio:>16.3f}")


def peak_memory(parser: str, functions: int) -> float:
    """Return the peak of a process that parses, in MiB."""
    command = [sys.executable, __file__, "--peak", parser, str(functions)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main(functions: int = 250, rounds: int = 7) -> None:
    """Measure everything and print the tables."""
    # First, as a child's peak cannot be told from that of a larger parent.
    print(f"{'peak memory':<26}{'MiB':>12}")
    for name in PARSERS:
        print(f"  {name:<24}{peak_memory(name, functions):>12.1f}")
    text = source(functions)
    module = passel_parse(text)
    ops = sum(1 for _ in module.walk())
    taken = fingerprint(module)
    again = fingerprint(module)
    print(f"{functions} functions, {ops} ops, {rounds} rounds")
    report(
        "parse",
        measure({name: lambda p=p: p(text) for name, p in PARSERS.items()}, rounds),
        ops,
    )
    report(
        "verify",
        measure(
            {
                "Operation.verify": module.verify,
                "passel verify": lambda: verify(module, recursive=True),
                "take a fingerprint": lambda: fingerprint(module),
                "compare fingerprints": lambda: taken == again,
            },
            rounds,
        ),
        ops,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peak"]:
        kept_alive = PARSERS[sys.argv[2]](source(int(sys.argv[3])))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    else:
        main(*map(int, sys.argv[1:]))
