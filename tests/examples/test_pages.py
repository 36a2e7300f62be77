"""Pages: links lead somewhere, install lines work in a checkout, flags of other tools are all there."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from typing import TYPE_CHECKING

import pytest
from documents import ROOT
from xdsl.xdsl_opt_main import xDSLOptMain

from passel.tool.command_line import NOT_HERE
from passel.tool.flags import Settings, by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tool_fixtures import MlirOpt


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


# -- How to install ---------------------------------------------------------------------------


SAYING = sorted(
    path
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*"), *(ROOT / "src").rglob("*.py"))
    if path.suffix in {".md", ".py"} and "pip install" in path.read_text("utf-8")
)
_LINE = re.compile(
    r"pip install (?P<what>(?:[-\w./]+ )*?(?:'(?P<quoted>[^']*)'|(?P<bare>[-\w./]+)))(?=[`\n ,;:)(\"]|$)"
)


def test_the_readme_says_it() -> None:
    """It has the line in a block of its own, and names the two commands."""
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "\n$ pip install .\n" in readme
    assert {"`make demo`", "`make test`"} <= {*re.findall("`[^`]*`", readme)}


@pytest.mark.parametrize("path", SAYING, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_install_lines_work_in_a_checkout(path: object) -> None:
    """`.`, with extras that exist, or a package that a page itself makes; never a name on an index."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    text = (ROOT / str(path)).read_text("utf-8")
    lines = list(_LINE.finditer(text))
    assert len(lines) == text.count("pip install ") - text.count("pip install {")  # any
    for line in lines:
        assert "passel" not in line["what"], line[0]
        if line["quoted"]:
            extra = re.fullmatch(r"\.\[(\w+)\]", line["quoted"])
            assert extra, line[0]
            assert extra[1] in extras


# -- Flags of other tools ---------------------------------------------------------------------


_IN_CODE = re.compile(r"`(-[^`]*)`")
_SPELT_OTHERWISE = {"h", "p", "time-passes"}
"""Flags of mlir-opt that are LLVM's or other names of flags that are there."""


def named_on(page: str) -> set[str]:
    """Return the flags that a page shows, without dashes and values."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `-")]
    return {
        re.split(r"[= {]", flag.lstrip("-"))[0] for row in rows for flag in _IN_CODE.findall(row)
    }


def test_every_flag_of_mlir_opt_has_a_row(mlir_opt: MlirOpt) -> None:
    """Those that passel-opt has, those that it knows to lack, and whatever else is MLIR's."""
    theirs = set(re.findall(r"^  --?([\w-]+)", mlir_opt("--help-hidden").out, re.MULTILINE))
    expected = (
        theirs & (by_name(Settings.flags.values()).keys() | NOT_HERE.keys()) - _SPELT_OTHERWISE
    )
    expected |= {name for name in theirs if name.startswith(("mlir-", "remark"))}
    expected -= {name for name in theirs if name.startswith("remarks-filter-")}  # one row says so
    assert len(expected) > 60
    assert expected - named_on("from-mlir-opt.md") == set()


def test_every_flag_of_xdsl_opt_has_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    """All that its parser knows."""
    with pytest.raises(SystemExit):
        xDSLOptMain(args=["--help"])
    shown = capsys.readouterr().out
    usage = shown.partition("positional arguments")[0]
    theirs = set(re.findall(r"\[--?([\w-]+)", usage))
    assert len(theirs) > 15
    assert theirs - named_on("from-xdsl-opt.md") == set()
