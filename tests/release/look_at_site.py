"""Look at the built site in Chromium, at the width of a desktop and of a phone.

    python tests/release/look_at_site.py site [--shots folder] [page ...]

A page is bad if it is wider than the window, shows `>>>` as a quotation, has a link to a page or an anchor that does
not exist, or if its copy button would take more of a `console` block than its commands. Exit code 1 if one is.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTHS = {"desktop": 1280, "phone": 390}

LOOK = """() => {
  const found = [], root = document.documentElement;
  if (root.scrollWidth > innerWidth + 1) found.push(`is ${root.scrollWidth} pixels wide`);
  for (const each of document.querySelectorAll("blockquote"))
    if (each.textContent.includes(">>>")) found.push("shows >>> as a quotation");
  for (const each of document.querySelectorAll(".language-console pre > code")) {
    each.setAttribute("data-md-copying", "");
    for (const line of each.innerText.split("\\n"))
      if (line.startsWith("$ ")) found.push(`copies a prompt: ${line}`);
    const output = each.querySelector(".go")?.textContent;
    if (output && each.innerText.includes(output.trim())) found.push(`copies output: ${output}`);
    each.removeAttribute("data-md-copying");
  }
  return found;
}"""


class _Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a link and an anchor."""
        found = dict(attrs)
        if tag == "a" and (link := found.get("href")):
            self.links.append(link)
        self.anchors.update(value for key in ("id", "name") if (value := found.get(key)))


def dead_links(site: Path) -> list[str]:
    """Return the links of a site that lead nowhere on it."""
    pages: dict[Path, _Links] = {}
    for path in site.rglob("*.html"):
        pages[path] = _Links()
        pages[path].feed(path.read_text("utf-8"))
    dead: list[str] = []
    for path, page in pages.items():
        base = f"/{path.relative_to(site).as_posix()}"
        for link in {*page.links}:
            if urlsplit(link).scheme or path.name == "404.html":
                continue
            target, anchor = urldefrag(urljoin(base, link))
            file = site / unquote(target).lstrip("/")
            file = file / "index.html" if file.is_dir() else file
            if not file.is_file() or (anchor and unquote(anchor) not in pages[file].anchors):
                dead.append(f"{base}: {link} leads nowhere")
    return sorted(dead)


def looked_at(site: Path, pages: list[str], browser: Any, shots: Path | None) -> Iterator[str]:
    """Yield what is wrong with pages as a browser lays them out, and take pictures of them."""
    for name, width in WIDTHS.items():
        page = browser.new_page(viewport={"width": width, "height": 1400})
        for each in pages:
            for scheme in ("dark", "light") if shots else ("light",):
                page.emulate_media(color_scheme=scheme)  # the site asks for it when it loads
                page.goto(f"file://{site.absolute()}{each}")
                title = each.strip("/").replace("/", "-").removesuffix("-index.html")
                if shots:
                    page.screenshot(path=f"{shots}/{title}-{name}-{scheme}.png")
            yield from (f"{each} at {width}: {found}" for found in page.evaluate(LOOK))
        page.close()


def main() -> int:
    """Look at the pages that the command line names, or at all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("site", type=Path)
    parser.add_argument("--shots", type=Path, help="a folder for pictures of the pages")
    parser.add_argument("pages", nargs="*", help="such as /api/passes/index.html; by default all")
    given = parser.parse_intermixed_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.stdout.write("Chromium is not installed, and nothing is looked at\n")
        return 0
    every = sorted(
        f"/{path.relative_to(given.site).as_posix()}" for path in given.site.rglob("index.html")
    )
    pages = given.pages or every
    playwright: Any = import_module("playwright.sync_api")  # `make extras` installs it
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        looked = [*looked_at(given.site, pages, browser, given.shots)]
    problems = [*dead_links(given.site), *looked]
    lines = [*problems, f"{len(pages)} pages, {len(problems)} problems"]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
