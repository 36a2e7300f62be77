"""Passes that rewrite xDSL's ops against xDSL's own, on what compilers print, before and after.

Both run in this process on copies of one module, which passel does not verify here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench_xdsl_parsing import context, passel_parse
from inputs import functions_of_40_ops
from kernels import for_riscv, unrolled_loops, with_branches
from measuring import compare, peer, wants_quick
from xdsl.transforms import get_all_passes

from passel import PassManager
from passel.xdsl import XDSLAdapter
from passel.xdsl.fast import slow_paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

_PASSES = (("cse", ""), ("dce", ""), ("canonicalize", ""), ("canonicalize", "again "))


def xdsls(name: str) -> Callable[[ModuleOp], object]:
    """Return what runs xDSL's pass of a name."""
    one, its_context = get_all_passes()[name]()(), context()
    return lambda module: one.apply(its_context, module)


def passels(name: str) -> Callable[[ModuleOp], object]:
    """Return what runs passel's pass of a name."""
    manager = PassManager.parse(f"builtin.module({name})", context(), adapter=XDSLAdapter())
    manager.enable_verifier(False)
    return manager.run


def slowly(run: Callable[[ModuleOp], object]) -> Callable[[ModuleOp], object]:
    """Return what does something without fast paths."""

    def run_slowly(module: ModuleOp) -> object:
        with slow_paths():
            return run(module)

    return run_slowly


def main() -> None:
    """Measure everything and print the tables."""
    quick = wants_quick()
    size, rounds = (2, 2) if quick else (60, 5)
    inputs = {"functions of 40 ops": functions_of_40_ops(4 * size)}
    if peer("mlir") is not None:
        inputs["unrolled loops (scf)"] = unrolled_loops(size // 2)
        inputs["the same with branches (cf)"] = with_branches(size // 2)
        inputs["the same as assembly (riscv)"] = for_riscv(size // 2)
    for name, text in inputs.items():
        module = passel_parse(text)
        for pass_name, when in _PASSES:
            if when:
                passels(pass_name)(module)  # pyright: ignore[reportArgumentType] - a module
            ops = sum(1 for _ in module.walk())
            passel = passels(pass_name)
            compare(
                f"{pass_name} {when}{name}, {ops} ops",
                {
                    "xdsl": xdsls(pass_name),
                    "passel, as xdsl does it": slowly(passel),
                    "passel": passel,
                },
                rounds=rounds,
                unit="µs/op",
                scale=1e6 / ops,
                make_inputs=lambda module=module: (module.clone(),),
            ).show()


if __name__ == "__main__":
    main()
