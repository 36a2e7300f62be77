"""Pipelines as text: parsed, resolved and built; and printed.

The same flat list of passes without options, which is what xDSL's grammar can say.
"""

from collections.abc import Callable
from itertools import cycle, islice

from measuring import compare, peer, wants_quick
from xdsl.passes import PassPipeline
from xdsl.transforms import get_all_passes

from passel import PassManager

_NAMES = ("cse", "canonicalize")


def main() -> None:
    """Compare short and long pipelines."""
    quick = wants_quick()
    for length, repeats in ((10, 100), (1_000, 1)):
        compare_texts(length, 1 if quick else repeats, rounds=2 if quick else 15)


def compare_texts(length: int, repeats: int, rounds: int) -> None:
    """Compare parsing and printing a pipeline of this many passes."""
    flat = ",".join(islice(cycle(_NAMES), length))
    anchored = f"builtin.module({flat})"
    xdsl_passes = get_all_passes()
    manager = PassManager.parse(anchored)
    pipeline = PassPipeline.parse_spec(xdsl_passes, flat)
    parsers: dict[str, Callable[[], object]] = {
        "passel": lambda: PassManager.parse(anchored),
        "xdsl": lambda: PassPipeline.parse_spec(xdsl_passes, flat),
    }
    printers: dict[str, Callable[[], object]] = {
        "passel": lambda: str(manager),
        "xdsl": lambda: ",".join(str(p.pipeline_pass_spec()) for p in pipeline.passes),
    }
    assert printers["passel"]() == anchored
    assert printers["xdsl"]() == flat
    if (bindings := peer("mlir.passmanager")) and (ir := peer("mlir.ir")):
        context = ir.Context()
        native = bindings.PassManager.parse(anchored, context)
        parsers["mlir (native)"] = lambda: bindings.PassManager.parse(anchored, context)
        printers["mlir (native)"] = lambda: str(native)
    scale = 1e6 / (length * repeats)
    for doing, candidates in (("parse", parsers), ("print", printers)):
        compare(
            f"{doing} a pipeline of {length} passes",
            {name: repeated(call, repeats) for name, call in candidates.items()},
            rounds=rounds,
            unit="µs/pass",
            scale=scale,
        ).show()


def repeated(call: Callable[[], object], times: int) -> Callable[[], object]:
    """Return a function that makes a call often enough for the clock."""

    def run() -> None:
        for _ in range(times):
            call()

    return run


if __name__ == "__main__":
    main()
