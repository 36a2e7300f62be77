"""Run Catalyst's xDSL passes in passel, in pipelines nested on the modules of the circuits."""

from io import StringIO
from pathlib import Path
from typing import Any

import pennylane as qml
from catalyst import qjit
from xdsl.passes import PassPipeline
from xdsl.printer import Printer
from xdsl.universe import Universe

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source

PASSES = ("xdsl-cancel-inverses", "xdsl-merge-rotations")
device = qml.device("null.qubit", wires=2)


@qml.qnode(device)
def twice(x: float) -> Any:
    """Apply a gate and its inverse, and then two rotations."""
    qml.Hadamard(0)
    qml.Hadamard(0)
    qml.RZ(x, wires=0)
    qml.RZ(x, wires=0)
    return qml.expval(qml.Z(0))


@qml.qnode(device)
def bell(x: float) -> Any:
    """Entangle two qubits."""
    qml.Hadamard(0)
    qml.CNOT(wires=[0, 1])
    qml.RX(x, wires=1)
    return qml.expval(qml.Z(1))


@qml.qnode(device)
def undone(x: float) -> Any:
    """Apply a gate and its inverse, and then a rotation."""
    qml.CNOT(wires=[0, 1])
    qml.CNOT(wires=[0, 1])
    qml.RY(x, wires=0)
    return qml.expval(qml.Z(0))


def text_of(op: Any) -> str:
    """Return the text of an op."""
    stream = StringIO()
    Printer(stream=stream).print_op(op)
    return stream.getvalue()


for circuit in (twice, bell, undone):
    text = qjit(target="mlir")(circuit).mlir
    Path(f"{circuit.__name__}.mlir").write_text(text, encoding="utf-8")
    context = XDSLAdapter().create_context()
    theirs, ours = (parse_source(context, text, "circuit.mlir") for _ in range(2))
    known = Universe.get_multiverse().all_passes
    PassPipeline(tuple(known[name]()() for name in PASSES)).apply(context, theirs)
    manager = PassManager("builtin.module", context)
    manager.nest("builtin.module").add(*PASSES)
    changed = manager.run(ours).changed
    print(circuit.__name__, "changed:", changed, "as by xDSL:", text_of(ours) == text_of(theirs))
