"""What tests of declarations share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from td_files import HEADER, PASSES_TD, declarations, name_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once per file of MLIR's that declares passes."""
    if "mlir_file" in metafunc.fixturenames:
        paths = PASSES_TD or [None]  # the fixture says why there is none
        ids = [name_of(path) if path else "absent" for path in paths]
        metafunc.parametrize("mlir_file", paths, ids=ids, indirect=True)


@pytest.fixture
def mlir_file(request: pytest.FixtureRequest) -> Path:
    """Return a file of MLIR's that declares passes."""
    declarations()
    return request.param


@pytest.fixture
def td_file(tmp_path: Path) -> Callable[[str], Path]:
    """Write a `.td` file that includes `PassBase.td`."""

    def write(text: str) -> Path:
        path = tmp_path / "Passes.td"
        path.write_text(HEADER + text, encoding="utf-8")
        return path

    return write
