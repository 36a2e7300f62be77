"""passel is on no index: all that says how to install it says what works in a checkout."""

from __future__ import annotations

import re
import tomllib

import pytest
from documents import ROOT

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
