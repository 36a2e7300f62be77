"""A Catalyst program, a buggy pass, and a passel pipeline that runs within `qjit`.

With a file as its argument, the script exits with 0 if the IR in the file computes a different
result from the program.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pennylane as qml
from catalyst import for_loop, grad, measure, qjit
from catalyst.debug import replace_ir
from catalyst.python_interface import CompilationPass, compiler_transform
from catalyst.python_interface.dialects.quantum import CustomOp
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from passel import PassManager

device = qml.device("lightning.qubit", wires=3)


@qml.qnode(device)
def layers(angles: Any) -> Any:
    """Apply two layers of rotations to all qubits."""

    @for_loop(0, 2, 1)
    def layer(i: Any) -> None:
        @for_loop(0, 3, 1)
        def rotate(j: Any) -> None:
            qml.RZ(angles[i, j], wires=j)
            qml.RZ(0.3, wires=j)
            qml.RY(angles[i, j], wires=j)

        rotate()
        qml.CNOT(wires=[0, 1])
        qml.CNOT(wires=[1, 2])

    layer()
    return qml.expval(qml.Z(0) @ qml.Z(2))


@qml.qnode(device)
def probe(angle: float) -> Any:
    """Apply gates twice; the gates between the Hadamard gates are not their own inverses."""
    qml.CNOT(wires=[0, 1])
    qml.CNOT(wires=[0, 1])
    qml.Hadamard(1)
    qml.S(1)
    qml.S(1)
    qml.Hadamard(1)
    qml.RX(angle, wires=0)
    measure(0)
    return qml.probs(wires=[1])


def train(angles, angle):  # noqa: ANN001, ANN201 -- Catalyst would compile for these types alone
    """Run five steps of gradient descent."""

    @for_loop(0, 5, 1)
    def step(_: Any, now: Any) -> Any:
        return now - 0.1 * grad(layers)(now)

    return layers(step(angles)), probe(angle)


@dataclass(frozen=True)
class CancelTwins(CompilationPass):
    """Cancel two adjacent gates with the same name, even if they are not inverses: a bug."""

    name = "cancel-twins"

    def action(self, op: CustomOp, rewriter: PatternRewriter) -> None:
        """Erase a gate and the next gate if both gates have the same name and no parameters."""
        for use in [] if op.params else [*op.results[0].uses]:
            twin = use.operation
            if isinstance(twin, CustomOp) and twin.gate_name == op.gate_name:
                rewriter.replace_op(twin, (), op.in_qubits)
                rewriter.erase_op(op)
                return


@dataclass(frozen=True)
class Pipeline(ModulePass):
    """Run a passel pipeline on the module of a circuit."""

    name = "pipeline"
    text: str = ""
    record: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run the pipeline without verification, because Catalyst does not verify the IR either."""
        manager = PassManager.parse(self.text, ctx)
        manager.enable_verifier(False)
        if self.record:
            from passel.record import Recorder

            manager.add_instrumentation(Recorder(self.record))
        manager.run(op)


pipeline = compiler_transform(Pipeline)
PIPELINE = "builtin.module(xdsl-cancel-inverses,xdsl-merge-rotations,func.func(cse))"


def main() -> int:
    """Write the program's IR and run it with a pipeline, or compare it with the IR in a file."""
    arguments = np.full((2, 3), 0.4), 0.7
    compiled = qjit(train)
    expected = compiled(*arguments)
    if sys.argv[1:]:
        replace_ir(compiled, "mlir", Path(sys.argv[1]).read_text(encoding="utf-8"))
        results = compiled(*arguments)
    else:
        text = compiled.mlir_module.operation.get_asm(print_generic_op_form=True)
        Path("train.mlir").write_text(text, encoding="utf-8")
        globals()["layers"] = pipeline(layers, text=PIPELINE, record="layers.passel")
        results = qjit(train)(*arguments)
    same = all(map(np.allclose, results, expected))
    print("as before:", same)
    return int(same and len(sys.argv) > 1)


if __name__ == "__main__":
    sys.exit(main())
