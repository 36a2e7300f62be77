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

    def heading(self) -> str:
        """Return the first heading."""
        return self.page.get_by_role("heading", level=1).inner_text()

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
        self._shared = self._new_page()

    def _new_page(self, **options: Any) -> Any:
        size = {"width": 1360, "height": 860}
        page = self._browser.new_context(**{"viewport": size, **options}).new_page()
        page.set_default_timeout(10_000)
        return page

    @contextmanager
    def opened(self, file: Path, place: str = "", **options: Any) -> Generator[Watched]:
        """Open a report, and check in the end that it did nothing but show itself.

        Without options, all reports are shown by one page, as a new one takes long.
        """
        faults: list[str] = []
        address = file.as_uri()
        page = self._new_page(**options) if options else self._shared

        def request(route: Any) -> None:
            if route.request.url.partition("#")[0] in (address, "about:blank"):
                route.continue_()
            else:
                faults.append(route.request.url)
                route.abort()

        def dialog(shown: Any) -> None:
            faults.append(shown.message)
            shown.dismiss()

        def fault(found: Any) -> None:
            faults.append(str(found))

        handlers = {"console": fault, "pageerror": fault, "dialog": dialog}
        page.route("**/*", request)
        for event, handler in handlers.items():
            page.on(event, handler)
        page.goto(f"{address}{place}")
        page.wait_for_selector("body[data-ready]")
        try:
            yield Watched(page, faults)
        finally:
            if options:
                page.context.close()
            else:
                page.goto("about:blank")  # the next report may be the same file
                for event, handler in handlers.items():
                    page.remove_listener(event, handler)
                page.unroute("**/*", request)
        assert faults == []

    def close(self) -> None:
        """End it."""
        self._browser.close()


def chromium() -> str | None:
    """Return Chromium, if it is installed."""
    return shutil.which("chromium")
