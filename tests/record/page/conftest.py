"""A browser for tests of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from report_pages import Browser, chromium

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    """Chromium; tests are skipped where it is not installed."""
    playwright: Any = pytest.importorskip("playwright.sync_api", reason="needs `make extras`")
    program = chromium()
    if program is None:
        pytest.skip("needs Debian's chromium, which `make extras` installs")
    with playwright.sync_playwright() as driver:
        started = Browser(driver, program)
        yield started
        started.close()
