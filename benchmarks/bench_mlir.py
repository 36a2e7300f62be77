"""Native and Python passes over MLIR's bindings, against mlir-opt and the bindings themselves.

The targets: native passes at most 1.1 times what the bindings' own pass manager takes, a
Python pass no slower than one that the bindings call, a pipeline of both 20 times faster
than xDSL's way (printing, running mlir-opt, and parsing for each native part), and the tool no
slower than mlir-opt and the imports.
"""

import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import NamedTemporaryFile
from typing import Any

import mlir
from inputs import functions_of_40_ops
from measuring import Comparison, wants_quick
from mlir.ir import Context
from mlir.passmanager import PassManager as NativeManager
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.mlir_opt import MLIROptPass

from passel import Pass, PassContext, PassManager
from passel.mlir import parse_source
from passel.xdsl import XDSLAdapter
from passel.xdsl import parse_source as parse_with_xdsl

PASSEL_OPT = str(Path(sys.executable).with_name("passel-opt"))
MLIR_OPT = str(Path(mlir.__path__[0], "bin", "mlir-opt"))
NATIVE = "builtin.module(func.func(cse,canonicalize),symbol-dce)"
TOTAL = re.compile(r"^ +([\d.]+) \( *[\d.]+%\)  (?:'func.func' Pipeline|SymbolDCE)$", re.MULTILINE)


class Nothing(Pass[Any]):
    """Do nothing."""

    name = "nothing"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


def nothing(op: Any, pass_: Any) -> None:
    """Do nothing, as a pass of the bindings."""


def long_functions(functions: int, ops: int) -> str:
    """Return functions of many ops each."""
    body = "\n".join(
        f"  %x{k} = arith.addi %{'a' if k == 0 else f'y{k - 1}'}, %b : i32\n"
        f"  %y{k} = arith.muli %x{k}, %x{k} : i32"
        for k in range(ops // 2)
    )
    return "\n".join(
        f"func.func @f{n}(%a: i32, %b: i32) -> i32 {{\n{body}\n  return %y{ops // 2 - 1} : i32\n}}"
        for n in range(functions)
    )


def parsed(text: str) -> Any:
    """Return a fresh module, of a context without threads."""
    context = Context()
    context.enable_multithreading(False)
    return parse_source(context, text, "bench.mlir")


def seconds(run: Any) -> float:
    """Return the time on the clock: a child's time counts as well."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def mlir_opt_passes(text: str) -> float:
    """Return what mlir-opt itself says that its passes took."""
    command = [MLIR_OPT, "-", "--mlir-disable-threading", "--mlir-timing", "-o", "/dev/null"]
    pipeline = f"--pass-pipeline={NATIVE}"
    done = subprocess.run([*command, pipeline], input=text, text=True, check=True, stderr=-1)
    return sum(float(found) for found in TOTAL.findall(done.stderr))


def with_native_manager(text: str) -> float:
    """Time the bindings' own manager."""
    module = parsed(text)
    manager: Any = NativeManager.parse(NATIVE, module.context)
    return seconds(lambda: manager.run(module.operation))


def with_passel(text: str) -> float:
    """Time passel's manager, from the pipeline's first run on."""
    module = parsed(text)
    manager = PassManager.parse(NATIVE, module.context)
    return seconds(lambda: manager.run(module))


def python_pass_natively(text: str) -> float:
    """Time a Python pass that the bindings' manager calls for each function.

    Nested it would have to be cloned, which ends the process: a manager runs on each function.
    """
    module = parsed(text)
    functions = list(module.operation.regions[0].blocks[0])
    manager: Any = NativeManager("func.func", module.context)
    manager.add(nothing)

    def run() -> None:
        for function in functions:
            manager.run(function.operation)

    return seconds(run)


def python_pass_in_passel(text: str) -> float:
    """Time a Python pass for each function in passel."""
    module = parsed(text)
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(Nothing())
    return seconds(lambda: manager.run(module))


def mixed_in_passel(text: str) -> float:
    """Time native, Python, native for each function."""
    module = parsed(text)
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add("cse").add(Nothing()).add("canonicalize")
    return seconds(lambda: manager.run(module))


def mixed_by_subprocess(text: str) -> float:
    """Time the same where native passes are processes, and the bindings print and parse."""
    module = parsed(text)

    def through(pass_: str, source: str) -> Any:
        pipeline = f"--pass-pipeline=builtin.module(func.func({pass_}))"
        done = subprocess.run([MLIR_OPT, pipeline], input=source, text=True, check=True, stdout=-1)
        return parse_source(module.context, done.stdout, "mlir-opt")

    def run() -> None:
        between = through("cse", str(module))
        nothing(between, None)
        through("canonicalize", str(between))

    return seconds(run)


def mixed_on_xdsl(text: str) -> float:
    """Time the same on xDSL's IR, by its pass that prints, runs mlir-opt, and parses."""
    context = XDSLAdapter().create_context()
    module = parse_with_xdsl(context, text, "bench.mlir")
    assert isinstance(module, ModuleOp)

    def through(pass_: str) -> None:
        pipeline = f"--pass-pipeline=builtin.module(func.func({pass_}))"
        MLIROptPass(MLIR_OPT, arguments=("--mlir-print-op-generic", pipeline)).apply(
            context, module
        )

    def run() -> None:
        through("cse")
        nothing(module, None)
        through("canonicalize")

    return seconds(run)


def whole_process(tool: list[str]) -> Any:
    """Return what times a tool from its start to its end."""

    def run(text: str) -> float:
        with NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            command = [*tool, f"--pass-pipeline={NATIVE}", file.name, "-o", "/dev/null"]
            return seconds(lambda: subprocess.run(command, check=True))

    return run


def importing(_: str) -> float:
    """Time what the bindings alone need before they can do anything."""
    command = [sys.executable, "-c", "import mlir.ir"]
    return seconds(lambda: subprocess.run(command, check=True))


def measure(title: str, candidates: dict[str, Any], text: str, rounds: int) -> None:
    """Run candidates in turns, and print the table and the spread of the ratios."""
    comparison = Comparison(title, "ms", 1e3, {name: [] for name in candidates})
    for candidate in candidates.values():
        candidate(text)
    for _ in range(rounds):
        for name, candidate in candidates.items():
            comparison.samples[name].append(candidate(text))
    comparison.show()
    reference = next(iter(comparison.samples.values()))
    for name, samples in comparison.samples.items():
        ratios = sorted(a / b for a, b in zip(samples, reference, strict=True))
        print(f"  {name}: {ratios[0]:.2f} to {ratios[-1]:.2f}, median {median(ratios):.2f}")
    print()


def main() -> None:
    """Measure both shapes."""
    quick = wants_quick()
    rounds = 1 if quick else 7
    shapes = {
        "1,000 functions of 40 ops": functions_of_40_ops(3 if quick else 1000),
        "10 functions of 4,000 ops": long_functions(2 if quick else 10, 20 if quick else 4000),
    }
    for shape, text in shapes.items():
        measure(
            f"native passes, {shape}",
            {
                "the bindings' manager": with_native_manager,
                "passel": with_passel,
                "mlir-opt's own account": mlir_opt_passes,
            },
            text,
            rounds,
        )
        measure(
            f"a Python pass that does nothing, {shape}",
            {"the bindings' manager": python_pass_natively, "passel": python_pass_in_passel},
            text,
            rounds,
        )
        measure(
            f"native, Python, native, {shape}",
            {
                "passel": mixed_in_passel,
                "mlir-opt as a process, bindings": mixed_by_subprocess,
                "mlir-opt as a process, xDSL": mixed_on_xdsl,
            },
            text,
            1 if quick else 2,  # xDSL's way takes a minute
        )
        measure(
            f"the tools, {shape}",
            {
                "mlir-opt": whole_process([MLIR_OPT]),
                "passel-opt --ir=mlir": whole_process([PASSEL_OPT, "--ir=mlir"]),
                "import mlir.ir": importing,
            },
            text,
            rounds,
        )


if __name__ == "__main__":
    sys.exit(main())
