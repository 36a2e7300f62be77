"""A compiler and two extensions that know nothing of each other, installed as packages."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from packages import install, run_with
from tool_fixtures import MLIR, run_mlir_opt

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tool_fixtures import Outcome

PACKAGES = ("tinyc", "generalize", "align_allocations")
EXPECTED = "[[6,   0], \n [7.5,   1]]"


@pytest.fixture(scope="module")
def installed(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> dict[str, Path]:
    """Install each package into a folder of its own, as pip does."""
    folders: dict[str, Path] = {}
    for package in PACKAGES:
        source = pytestconfig.rootpath / "examples" / "extensible_compiler" / package
        folders[package] = tmp_path_factory.mktemp(package)
        install(source, folders[package])
    return folders


@pytest.fixture
def tinyc(
    installed: dict[str, Path], programs: Path, pytestconfig: pytest.Config
) -> Callable[..., Outcome]:
    """Run the compiler with some packages, in the order in which Python finds them."""
    folder = pytestconfig.rootpath / "examples" / "extensible_compiler" / "tinyc"

    def run(file: str, *flags: str, packages: tuple[str, ...] = PACKAGES) -> Outcome:
        words = ("import tinyc; tinyc.main()", file, *flags)
        found = [installed[package] for package in packages]
        return run_with(found, *words, cwd=folder, program=programs / "run-python")

    return run


def executed(module: str) -> str:
    """Return what a program prints."""
    libraries = [MLIR / "lib" / f"libmlir_{name}.so" for name in ("runner_utils", "c_runner_utils")]
    flags = ["-e", "main", "-entry-point-result=void"]
    done = subprocess.run(
        [MLIR / "bin" / "mlir-runner", *flags, *(f"-shared-libs={each}" for each in libraries)],
        input=module,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.partition("data = \n")[2].strip()


def test_extensions_in_either_order_give_the_same_pipeline(tinyc: Callable[..., Outcome]) -> None:
    """Where the packages stand on Python's path does not matter, nor which passes they know."""
    texts = {
        tinyc("layer.mlir", "--print-pipeline", packages=order).out
        for order in (PACKAGES, PACKAGES[::-1])
    }
    (text,) = texts
    names = [line.strip().rstrip(",").partition("{")[0] for line in text.splitlines()]
    wanted = [
        "linalg-generalize-named-ops",
        "one-shot-bufferize",
        "align-allocations",
        "convert-linalg-to-loops",
    ]
    assert [name for name in names if name in wanted] == wanted


def test_the_program_computes_what_it_should(tinyc: Callable[..., Outcome]) -> None:
    """From either ingress, with all extensions or none, the result is right."""
    with_all = tinyc("layer.mlir")
    assert with_all.code == 0, with_all.err
    assert executed(with_all.out) == EXPECTED
    alone = tinyc("layer.mlir", packages=("tinyc",))
    assert executed(alone.out) == EXPECTED
    assert alone.out != with_all.out
    tosa = tinyc("layer-tosa.mlir", "--format=tosa")
    assert "".join(executed(tosa.out).split()) == "[[[6,0],[7.5,1]]]"


def test_the_same_on_xdsl(tinyc: Callable[..., Outcome]) -> None:
    """The extensions are the same, the passes are xDSL's, and so is the result."""
    done = tinyc("layer.mlir", "--ir=xdsl")
    assert done.code == 0, done.err
    assert "alignment = 128" in done.out
    flags = (
        "--expand-strided-metadata",
        "--lower-affine",
        "--finalize-memref-to-llvm",
        "--convert-to-llvm",
        "--reconcile-unrealized-casts",
    )
    lowered = run_mlir_opt(*flags, source=done.out)
    assert lowered.code == 0, lowered.err
    assert executed(lowered.out) == EXPECTED


def test_a_framework_without_bufferization_decides(tinyc: Callable[..., Outcome]) -> None:
    """What the extensions need is not there: one line says so, and the pipeline is as it was."""
    refused = tinyc("layer.mlir", "--print-pipeline", "--no-bufferize")
    assert refused.code == 0
    assert "tinyc: going on without extensions: extension '" in refused.err
    assert "there is no pass of type 'bufferization'" in refused.err
    alone = tinyc("layer.mlir", "--print-pipeline", "--no-bufferize", packages=("tinyc",))
    assert refused.out == alone.out
