"""Builds of the bindings that are too old."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from passel.errors import AdapterError
from passel.mlir.bindings import Bindings


@pytest.fixture(params=[None, property()])
def old(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Bindings:
    """Return a build whose contexts do not say whether they emit errors, as those of jaxlib 0.7."""
    package: Any = ModuleType("old")
    module: Any = ModuleType("old.ir")
    module.Context = type("Context", (), {"emit_error_diagnostics": request.param})
    monkeypatch.setitem(sys.modules, "old", package)
    monkeypatch.setitem(sys.modules, "old.ir", module)
    return Bindings("old")


def test_a_build_that_is_too_old_is_refused(old: Bindings) -> None:
    """An error names the build and the releases that passel works on, before anything is run."""
    with pytest.raises(AdapterError, match=r"'old' are too old: .* jaxlib 0\.9\.2, IREE 3\.12"):
        _ = old.ir
