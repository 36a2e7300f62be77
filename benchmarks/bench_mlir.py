"""Native and Python passes over MLIR's bindings, against mlir-opt and the bindings themselves.

The bounds, on functions of 40 ops: native passes with one in Python between them take at most 1.15
of the time of mlir-opt's own passes over 4,000 functions. As a whole process, native passes over
180,000 ops take at most 1.3 of mlir-opt's CPU time and of its memory.

The floor of the first is a bare loop with the bindings. The loop calls MLIR for each function, and
verifies twice more than mlir-opt: each function after the Python pass, and the module at the end.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import mlir
from inputs import functions_of_40_ops
from measuring import Comparison, run_process, wants_quick
from mlir.ir import Context
from mlir.passmanager import PassManager as NativeManager

from passel import Pass, PassContext, PassManager
from passel.mlir import parse_source

MLIR_OPT = str(Path(mlir.__path__[0], "bin", "mlir-opt"))
NATIVE = "builtin.module(func.func(cse,canonicalize),symbol-dce)"


class Nothing(Pass[Any]):
    """Do nothing."""

    name = "nothing"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


def parsed(text: str) -> Any:
    """Return a fresh module, of a context without threads."""
    context = Context()
    context.enable_multithreading(False)
    # Locations of an implicit module would be renamed one by one.
    return parse_source(context, f"module {{\n{text}}}", "bench.mlir")


def seconds(run: Any, *arguments: Any) -> float:
    """Return the CPU time of a call."""
    start = process_time()
    run(*arguments)
    return process_time() - start


def with_native_manager(text: str) -> float:
    """Time the passes of mlir-opt, without the rest of it."""
    module = parsed(text)
    manager: Any = NativeManager.parse(NATIVE, module.context)
    return seconds(manager.run, module.operation)


def with_passel(text: str) -> float:
    """Time passel's manager, from the pipeline's first run on."""
    module = parsed(text)
    return seconds(PassManager.parse(NATIVE, module.context).run, module)


def mixed_in_passel(text: str) -> float:
    """Time it with a pass in Python between the others on each function."""
    module = parsed(text)
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add("cse").add(Nothing()).add("canonicalize")
    manager.add("symbol-dce")
    return seconds(manager.run, module)


def python_pass_alone(text: str) -> float:
    """Time the pass in Python alone on each function."""
    module = parsed(text)
    manager = PassManager("builtin.module", module.context).add_nested("func.func", Nothing())
    return seconds(manager.run, module)


def bare_loop(text: str) -> float:
    """Time a loop with the bindings alone that runs and verifies the same passes."""
    module = parsed(text)
    passes = ["func.func(cse)", "func.func(canonicalize)", "builtin.module(symbol-dce)"]
    managers: list[Any] = [NativeManager.parse(each, module.context) for each in passes]
    cse, canonicalize, symbol_dce = [each.run for each in managers]

    def run() -> None:
        nothing: Any = Nothing()
        for function in module.operation.regions[0].blocks[0]:
            operation = function.operation
            cse(operation)
            nothing.run(function, None)
            operation.verify()
            canonicalize(operation)
        module.operation.verify()
        symbol_dce(module.operation)

    return seconds(run)


def in_turns(comparison: Comparison, candidates: dict[str, Any], text: str, rounds: int) -> None:
    """Measure the passes in this process."""
    comparison.samples.update((name, []) for name in candidates)
    for _ in range(rounds):
        for name, candidate in candidates.items():
            comparison.samples[name].append(candidate(text))
    comparison.show()


def whole_processes(text: str, rounds: int) -> None:
    """Measure the tools from start to end: their CPU time, and the most memory they have."""
    passel_opt = str(Path(sys.executable).with_name("passel-opt"))
    tools = {"mlir-opt": [MLIR_OPT], "passel-opt --ir=mlir": [passel_opt, "--ir=mlir"]}
    time = Comparison("whole processes, CPU time: at most 1.3", "ms", 1e3)
    memory = Comparison("whole processes, memory: at most 1.3", "MiB")
    with TemporaryDirectory() as folder:
        path = Path(folder, "in.mlir")
        path.write_text(text, encoding="utf-8")
        for _ in range(rounds):
            for name, tool in tools.items():
                cost = run_process([*tool, f"--pass-pipeline={NATIVE}", str(path)])
                time.samples.setdefault(name, []).append(cost.seconds)
                memory.samples.setdefault(name, []).append(cost.mebibytes)
    time.show()
    memory.show()


def main() -> None:
    """Measure the three bounds."""
    quick = wants_quick()
    rounds = 1 if quick else 5
    title = "4,000 functions of 40 ops, native, Python, native: at most 1.15"
    candidates = {
        "mlir-opt's passes": with_native_manager,
        "the same in passel": with_passel,
        "with a Python pass between": mixed_in_passel,
        "the Python pass alone": python_pass_alone,
        "a bare loop with the bindings": bare_loop,
    }
    in_turns(
        Comparison(title, "ms", 1e3), candidates, functions_of_40_ops(3 if quick else 4000), rounds
    )
    whole_processes(functions_of_40_ops(3 if quick else 4500), rounds)


if __name__ == "__main__":
    main()
