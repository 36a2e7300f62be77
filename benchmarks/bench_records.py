"""What recording a run adds: `passel-opt` with and without `--record`.

1,000 functions of 40 ops, 10 passes: with nothing to do after the first ones, and lowering, where
several change every function. The target is 1.3 times the CPU time, on xDSL and on MLIR's ops.
"""

import re
import sys
import tempfile
from pathlib import Path

from inputs import functions_of_40_ops
from measuring import compare_processes, peer, wants_quick

_CLEANING = f"func.func({','.join(['cse', 'canonicalize'] * 5)})"
_LOWERING = (
    "func.func(cse,canonicalize,cse),convert-scf-to-cf,func.func(cse,canonicalize,cse),"
    "canonicalize,cse,symbol-dce"
)


def main() -> None:
    """Compare runs that are recorded with runs that are not."""
    quick = wants_quick()
    tool = str(Path(sys.executable).parent / "passel-opt")
    with tempfile.TemporaryDirectory() as folder:
        file, record = Path(folder, "input.mlir"), Path(folder, "record")
        source = functions_of_40_ops(2 if quick else 1000)
        file.write_text(re.sub(r"(%y\d+ = arith.constant) \d+", r"\1 5", source))
        for ir in ("xdsl", "mlir") if peer("mlir") is not None else ("xdsl",):
            for title, passes in {"cleaning": _CLEANING, "lowering": _LOWERING}.items():
                command = [tool, str(file), f"--ir={ir}", "-j1", f"-p=builtin.module({passes})"]
                times, _, _ = compare_processes(
                    f"{title}, --ir={ir}",
                    {"as it is": command, "recorded": [*command, f"--record={record}"]},
                    rounds=1 if quick else 5,
                )
                times.show()


if __name__ == "__main__":
    main()
