"""Links of README and documentation lead somewhere, on GitHub and in the site that MkDocs builds."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from documents import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def github_anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def site_anchor(heading: str) -> str:
    """Return the anchor that Python-Markdown's `toc` gives a heading."""
    text = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def anchors(page: Path, rule: Callable[[str], str]) -> set[str]:
    """Return the anchors of a page's headings, those that occur again without their numbers."""
    return {rule(heading.replace("`", "")) for heading in _HEADING.findall(prose(page))}


def relative_links(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the links to other places of the project: path, and anchor or nothing."""
    for target in _LINK.findall(prose(page)):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield path, anchor


def misses(page: Path) -> list[str]:
    """Return what is wrong with a page's links."""
    found: list[str] = []
    for path, anchor in relative_links(page):
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            found.append(f"{path}: no such file")
            continue
        in_site = target.is_relative_to(DOCS) or not page.is_relative_to(DOCS)
        if not in_site:
            found.append(f"{path}: not in the site")
        if anchor and target.suffix == ".md":
            rules = {"GitHub": github_anchor, "the site": site_anchor}
            places = [name for name, rule in rules.items() if anchor not in anchors(target, rule)]
            found += [f"{path}#{anchor}: no such heading on {place}" for place in places]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Files are there, in the site those of `docs` alone, and headings have the anchor by both rules."""
    assert misses(page) == []


def test_every_page_is_in_the_navigation() -> None:
    """A page without a link cannot be found; two are made for the site."""
    listed = set(re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert listed - {"index.md", "passes.md"} == {page.name for page in DOCS.glob("*.md")}
