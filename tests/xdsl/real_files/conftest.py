"""Files that the installed xDSL does not read, which is older than the newest, are left out."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

import pytest
from xdsl.parser import Parser
from xdsl_inputs import NEWEST_XDSL, REAL_FILES, xdsl_context


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of such files; the newest release reads all."""
    if version("xdsl") >= NEWEST_XDSL:
        return
    for item in items:
        _, _, parameters = item.name.rstrip("]").partition("[")
        for name in parameters.split("-"):
            if reason := _refusal(name):
                item.add_marker(pytest.mark.skip(reason))


@cache
def _refusal(name: str) -> str:
    """Return how xDSL refuses one of the files, or nothing."""
    file = REAL_FILES / f"{name}.mlir"
    if not file.is_file():
        return ""
    try:
        Parser(xdsl_context(), file.read_text(encoding="utf-8")).parse_module().verify()
    except Exception as error:  # noqa: BLE001 - whatever it raises
        return f"xDSL {version('xdsl')}: {str(error).splitlines()[-1].strip()}"
    return ""
