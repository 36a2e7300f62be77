"""Reports in a browser: Chromium by playwright, which `make extras` installs."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

PLUGIN = '''\
"""A pass that counts and warns, and one that fails."""

from passel import Pass, PassContext, PassFailure, Statistic
from passel.diagnostics import Diagnostic, Severity


class Look(Pass):
    """Look at functions."""

    name = "look"
    looked = Statistic("Functions looked at")

    def run(self, op, ctx: PassContext) -> None:
        """Count, and warn."""
        ctx.count(self.looked, 3)
        ctx.emit(Diagnostic(Severity.WARNING, "this function is \\u202eodd</script><b>"))
        ctx.preserve_all()


class Refuse(Pass):
    """Refuse one function."""

    name = "refuse"
    symbol: str = "leaky_relu"

    def run(self, op, ctx: PassContext) -> None:
        """Fail."""
        ctx.preserve_all()
        if op.sym_name.data == self.symbol:
            raise PassFailure("this function is refused")
'''


class Watched(NamedTuple):
    """A page in a browser, and what it did that a report does not do.

    Attributes:
        page: The page of playwright, whose types are there only if it is installed.
        faults: Errors and messages of the console, dialogs, and requests for anything else.
    """

    page: Any
    faults: list[str]

    def path(self) -> str:
        """Return where in the report it is."""
        return self.page.evaluate("decodeURIComponent(location.hash.slice(1))")

    def show(self, place: str) -> None:
        """Follow a link to a place."""
        self.page.evaluate("link => { location.hash = link }", place)

    def rows(self) -> list[str]:
        """Return the tree's rows as they are read out."""
        rows = self.page.locator("[role=treeitem]")
        return rows.evaluate_all("all => all.map(row => row.getAttribute('aria-label'))")

    def side(self, kind: str) -> list[str]:
        """Return the lines of one side of the difference: `old` or `new`."""
        return self.page.locator(f".diff .line.{kind}").all_inner_texts()

    def marked(self) -> list[str]:
        """Return what is marked in changed lines."""
        return self.page.locator(".diff del, .diff ins").all_inner_texts()


class Browser:
    """Chromium, which has no window."""

    def __init__(self, playwright: Any, program: str) -> None:
        self._browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])

    @contextmanager
    def opened(self, file: Path, place: str = "", **options: Any) -> Generator[Watched]:
        """Open a report, and check in the end that it did nothing but show itself."""
        context = self._browser.new_context(
            **{"viewport": {"width": 1360, "height": 860}, **options}
        )
        faults: list[str] = []
        context.set_default_timeout(10_000)
        page = context.new_page()
        address = file.as_uri()

        def request(route: Any) -> None:
            if route.request.url.partition("#")[0] == address:
                route.continue_()
            else:
                faults.append(route.request.url)
                route.abort()

        def dialog(shown: Any) -> None:
            faults.append(shown.message)
            shown.dismiss()

        page.route("**/*", request)

        def fault(found: Any) -> None:
            faults.append(str(found))

        page.on("console", fault)
        page.on("pageerror", fault)
        page.on("dialog", dialog)
        page.goto(f"{address}{place}")
        page.wait_for_selector("body[data-ready]")
        try:
            yield Watched(page, faults)
        finally:
            context.close()
        assert faults == []

    def close(self) -> None:
        """End it."""
        self._browser.close()


def chromium() -> str | None:
    """Return Chromium, if it is installed."""
    return shutil.which("chromium")
