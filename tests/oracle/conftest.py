"""What the oracle tests share: what mlir-opt makes of a pipeline, and the same passes as stubs."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from mlir_stubs import MlirLikeAdapter, registry_of_stubs
from pipeline_table import Build, read_rows

from passel.instruments.reproducer_file import reproducer_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline_table import Row
    from tool_fixtures import MlirOpt

    from passel import PassRegistry

# Ops of the dialects in it are registered when the pipeline is built; nothing else is.
SOURCE = "module { func.func private @f() gpu.module @g {} llvm.func @h() }"


ROWS = tuple(read_rows((Path(__file__).with_name("pipelines.txt")).read_text("utf-8")))
GOOD_ROWS = tuple(row for row in ROWS if row.accepted and not row.differs and "{" in row.text)

BuildAll: TypeAlias = "Callable[[Sequence[str]], dict[str, Build]]"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once per row, or once per row with options that both accept."""
    for name, rows in (("row", ROWS), ("good_row", GOOD_ROWS)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, rows, ids=[f"line{row.line}" for row in rows])


@pytest.fixture(scope="session")
def good_rows() -> Sequence[Row]:
    """All rows with options that both accept."""
    return GOOD_ROWS


@pytest.fixture(scope="session")
def mlir_build(mlir_opt: MlirOpt) -> Callable[[str], Build]:
    """Let mlir-opt build and dump a pipeline."""

    @cache
    def build(text: str) -> Build:
        err = mlir_opt(f"--pass-pipeline={text}", "--dump-pass-pipeline", source=SOURCE).err
        return _build(err)

    return build


@pytest.fixture(scope="session")
def mlir_build_all(mlir_opt: MlirOpt) -> BuildAll:
    """Let one mlir-opt build and dump many pipelines: starting it takes longer than all of them.

    Each is recorded in a part of the input, with a part behind it whose dump shows its end.
    """

    def build_all(texts: Sequence[str]) -> dict[str, Build]:
        ends = (f"builtin.module(inline{{max-iterations={_END + i}}})" for i in range(len(texts)))
        recorded = chain.from_iterable(zip(texts, ends, strict=True))
        parts = [reproducer_text(SOURCE, each, verify_each=True) for each in recorded]
        flags = "--split-input-file", "--run-reproducer", "--dump-pass-pipeline"
        err = mlir_opt(*flags, source="\n// -----\n".join(parts)).err
        *found, rest = _DUMP_AT_THE_END.split(err)
        assert len(found) == len(texts), rest
        return dict(zip(texts, map(_build, found), strict=True))

    return build_all


@pytest.fixture(scope="session")
def row_builds(mlir_build_all: BuildAll) -> dict[str, Build]:
    """What mlir-opt makes of each row."""
    return mlir_build_all([row.text for row in ROWS])


_END = 1_000_000
_DUMP_AT_THE_END = re.compile(
    r"Pass Manager with 1 passes:\nbuiltin\.module\(\n.*max-iterations=1\d{6}\b.*\n\)\n"
)


def _build(err: str) -> Build:
    match = re.search(r"Pass Manager with \d+ passes:\n(.*?\n\)\n)", err, re.DOTALL)
    return Build(match[1] if match else None, err)


@pytest.fixture
def adapter() -> MlirLikeAdapter:
    """An adapter that knows the ops that the pipelines name."""
    return MlirLikeAdapter()


@pytest.fixture(scope="session")
def registry() -> PassRegistry:
    """A registry with stubs of the passes that the pipelines name."""
    return registry_of_stubs()
