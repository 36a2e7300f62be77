"""What a pass manager adds to a pass that does nothing, per pass and op.

1,000 ops, 10 passes: 10,000 calls of an empty Python function. Peers differ in what they
can run passes on, so each does what comes closest; the table says what that is. The target
for passel is 0.6 µs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inputs import empty_functions
from measuring import compare, peer, wants_quick
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass, PassPipeline

from passel import OperationPass, PassContext, PassManager
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context

_PASSES = 10


class Noop(OperationPass[FuncOp]):
    """Do nothing."""

    name = "bench-noop"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Do nothing, and say nothing about it."""


class PreservingNoop(OperationPass[FuncOp]):
    """Do nothing, and say so."""

    name = "bench-preserving-noop"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Say that nothing has changed."""
        ctx.preserve_all()


class TrustedNoop(OperationPass[FuncOp]):
    """Do nothing, and be trusted not to touch what is around."""

    name = "bench-trusted-noop"
    can_fork = True

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Do nothing, and say nothing about it."""


class ModuleNoop(ModulePass):
    """Do nothing to a module."""

    name = "bench-module-noop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do nothing."""


class FunctionsNoop(ModulePass):
    """Do nothing to each function of a module: the nesting is the pass's own work."""

    name = "bench-functions-noop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Find the functions."""
        for function in op.ops:
            if isinstance(function, FuncOp):
                self.apply_to_function(ctx, function)

    def apply_to_function(self, ctx: Context, op: FuncOp) -> None:
        """Do nothing."""


def main() -> None:
    """Compare all that is installed."""
    quick = wants_quick()
    ops = 10 if quick else 1000
    candidates: dict[str, Callable[[], object]] = {}
    for make in (passel, xdsl, onnx_ir, qiskit, mlir):
        candidates |= make(ops)
    compare(
        f"{ops} ops, {_PASSES} passes that do nothing",
        candidates,
        rounds=2 if quick else 15,
        unit="µs per pass and op",
        scale=1e6 / (ops * _PASSES),
    ).show()


def passel(ops: int) -> dict[str, Callable[[], object]]:
    """`builtin.module(func.func(...))` on a module of functions."""
    module = parse_source(_xdsl_context(), empty_functions(ops), "bench.mlir")

    def manager(pass_class: type[OperationPass[FuncOp]], *, verify: bool) -> Callable[[], object]:
        manager = PassManager("builtin.module")
        manager.add_nested(FuncOp, *(pass_class() for _ in range(_PASSES)))
        manager.enable_verifier(verify)
        return lambda: manager.run(module)

    return {
        "passel: nested, verification off": manager(Noop, verify=False),
        "passel: nested, passes preserve all": manager(PreservingNoop, verify=True),
        "passel: nested, looks for changes, trusted": manager(TrustedNoop, verify=True),
        "passel: nested, looks for changes (default)": manager(Noop, verify=True),
    }


def xdsl(ops: int) -> dict[str, Callable[[], object]]:
    """Passes of xDSL are on modules: one of all functions, or one for each function."""
    context = _xdsl_context()
    module = parse_source(context, empty_functions(ops), "bench.mlir")
    modules = [parse_source(context, empty_functions(1), "bench.mlir") for _ in range(ops)]
    assert isinstance(module, ModuleOp)
    functions = PassPipeline(tuple(FunctionsNoop() for _ in range(_PASSES)))
    # As xdsl-opt does, between passes.
    verified = PassPipeline(functions.passes, lambda _before, module, _after: module.verify())
    whole = PassPipeline(tuple(ModuleNoop() for _ in range(_PASSES)))

    def run_on_each() -> None:
        for one in modules:
            assert isinstance(one, ModuleOp)
            whole.apply(context, one)

    return {
        "xdsl: module passes that loop over functions": lambda: functions.apply(context, module),
        "xdsl: the same, verified as by xdsl-opt": lambda: verified.apply(context, module),
        "xdsl: bare loop over passes, on 1-function modules": run_on_each,
    }


def onnx_ir(ops: int) -> dict[str, Callable[[], object]]:
    """A `PassManager` of onnx-ir works on whole models: as many models as there are ops."""
    ir = peer("onnx_ir")
    if ir is None:
        return {}

    def call(_self: object, model: Any) -> Any:
        return ir.passes.PassResult(model, modified=False)

    noop: Any = type("Noop", (ir.passes.InPlacePass,), {"call": call})
    manager = ir.passes.PassManager([noop() for _ in range(_PASSES)])
    models = [
        ir.Model(ir.Graph([], [], nodes=[], opset_imports={"": 20}), ir_version=10)
        for _ in range(ops)
    ]

    def run_on_each() -> None:
        for model in models:
            manager(model)

    return {"onnx-ir: models": run_on_each}


def qiskit(ops: int) -> dict[str, Callable[[], object]]:
    """As many circuits as there are ops, with and without conversion to graphs and back."""
    if peer("qiskit") is None:
        return {}
    passmanager, transpiler = peer("qiskit.passmanager"), peer("qiskit.transpiler")
    circuits = [peer("qiskit").QuantumCircuit(1) for _ in range(ops)]

    def run(_self: object, ir: Any) -> Any:
        return ir

    def enter(_self: object, input_program: Any, **_: object) -> Any:
        return input_program

    def leave(_self: object, passmanager_ir: Any, **_: object) -> Any:
        return passmanager_ir

    def ignore(self: Any, number: int) -> None:
        del number
        transpiler.TransformationPass.__init__(self)

    generic: Any = type("Noop", (passmanager.GenericPass,), {"run": run})
    conversions = {"_passmanager_frontend": enter, "_passmanager_backend": leave}
    plain: Any = type("Manager", (passmanager.BasePassManager,), conversions)
    # The transpiler runs only one of several equal passes, so these differ in their arguments.
    arguments: dict[str, Any] = {"run": run, "__init__": ignore}
    noop: Any = type("Noop", (transpiler.TransformationPass,), arguments)
    on_circuits = plain([generic() for _ in range(_PASSES)])
    on_graphs = transpiler.PassManager([noop(number) for number in range(_PASSES)])
    return {
        "qiskit: circuits, passes on circuits": lambda: on_circuits.run(circuits, num_processes=1),
        "qiskit: circuits, passes on graphs": lambda: on_graphs.run(circuits, num_processes=1),
    }


def mlir(ops: int) -> dict[str, Callable[[], object]]:
    """MLIR's bindings cannot nest Python passes: a manager on functions, run on each.

    The alternative are passes on the module that loop over its functions.
    """
    ir, passmanager = peer("mlir.ir"), peer("mlir.passmanager")
    if ir is None or passmanager is None:
        return {}
    context = ir.Context()
    # One op at a time gains nothing from threads, and this spares waking them.
    context.enable_multithreading(False)
    module = ir.Module.parse(empty_functions(ops), context)
    functions = [op.operation for op in module.body.operations]

    def noop(op: Any, pass_: Any) -> None:
        """Do nothing."""

    def loop(op: Any, pass_: Any) -> None:
        for function in op.regions[0].blocks[0].operations:
            noop(function, pass_)

    def manager(anchor: str, run: Callable[[Any, Any], None]) -> Any:
        result = passmanager.PassManager(anchor, context)
        for _ in range(_PASSES):
            result.add(run)
        result.enable_verifier(False)
        return result

    on_functions, on_module = manager("func.func", noop), manager("builtin.module", loop)

    def run_on_each() -> None:
        for function in functions:
            on_functions.run(function)

    return {
        "mlir bindings: func.func manager run on each": run_on_each,
        "mlir bindings: module passes that loop": lambda: on_module.run(module.operation),
    }


def _xdsl_context() -> Context:
    return XDSLAdapter().create_context()


if __name__ == "__main__":
    main()
