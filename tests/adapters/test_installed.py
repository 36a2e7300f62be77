"""Adapters of installed packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from passel.errors import AdapterError
from passel.ir import adapter_named, adapters


def test_an_installed_adapter_derives_from_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not is refused by name, with the way out, before it is asked anything."""
    point = EntryPoint("strange", "types:SimpleNamespace", "passel.adapters")
    monkeypatch.setattr(adapters, "_adapters", lambda: {"strange": point})
    with pytest.raises(AdapterError, match=r"'strange' .* derive .* from passel.ir.IRAd"):
        adapter_named("strange")
