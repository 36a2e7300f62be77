"""What `import passel` costs a process, beside its peers; the target is 60 ms of CPU time.

Bytecode is in place: an uncounted run of each command has written it.
"""

import sys

from measuring import compare_processes, peer, run_process, wants_quick

_PEERS = {
    "xdsl.passes": "xdsl",
    "onnx_ir": "onnx_ir",
    "qiskit.passmanager": "qiskit",
    "mlir.passmanager": "mlir",
}
_CHECK = """
import sys, passel
others = {"mlir", "numpy", "rich", "xdsl"}
slow = {"dataclasses", "email", "inspect"}
loaded = (others | slow) & set(sys.modules)
assert not loaded, loaded
"""


def main() -> None:
    """Compare whole processes."""
    python = sys.executable
    run_process([python, "-c", _CHECK])
    commands = {"import passel": [python, "-c", "import passel"], "nothing": [python, "-c", ""]}
    for module, package in _PEERS.items():
        if peer(package):
            commands[f"import {module}"] = [python, "-c", f"import {module}"]
    times, memory, _ = compare_processes(
        "import", dict(commands), rounds=1 if wants_quick() else 25
    )
    times.show()
    memory.show()


if __name__ == "__main__":
    main()
