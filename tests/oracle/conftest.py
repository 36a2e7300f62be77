"""What the oracle tests share: what mlir-opt makes of a pipeline, and the same passes as stubs."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mlir_stubs import MlirLikeAdapter, registry_of_stubs
from pipeline_table import Build, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt

    from passel import PassRegistry

# Ops of the dialects in it are registered when the pipeline is built; nothing else is.
SOURCE = "module { func.func private @f() gpu.module @g {} llvm.func @h() }"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once per row, or once per row with options that both accept."""
    rows = list(read_rows((Path(__file__).with_name("pipelines.txt")).read_text("utf-8")))
    if "row" in metafunc.fixturenames:
        metafunc.parametrize("row", rows, ids=[f"line{row.line}" for row in rows])
    if "good_row" in metafunc.fixturenames:
        good = [row for row in rows if row.accepted and not row.differs and "{" in row.text]
        metafunc.parametrize("good_row", good, ids=[f"line{row.line}" for row in good])


@pytest.fixture(scope="session")
def mlir_build(mlir_opt: MlirOpt) -> Callable[[str], Build]:
    """Let mlir-opt build and dump a pipeline."""

    @cache
    def build(text: str) -> Build:
        err = mlir_opt(f"--pass-pipeline={text}", "--dump-pass-pipeline", source=SOURCE).err
        match = re.search(r"Pass Manager with \d+ passes:\n(.*?\n\)\n)", err, re.DOTALL)
        return Build(match[1] if match else None, err)

    return build


@pytest.fixture
def adapter() -> MlirLikeAdapter:
    """An adapter that knows the ops that the pipelines name."""
    return MlirLikeAdapter()


@pytest.fixture(scope="session")
def registry() -> PassRegistry:
    """A registry with stubs of the passes that the pipelines name."""
    return registry_of_stubs()
