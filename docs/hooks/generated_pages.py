"""Adds the pages that are made from something else to the site: its start, and the passes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

from passel.passes import default_registry
from passel.specification import pass_doc

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

_PASSES = """\
# Passes

The passes that `pip install .` makes known by name: passel's own, and xDSL's.
`passel-tblgen -gen-pass-doc` writes such a page
[about passes of yours](tablegen.md#documentation).
"""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the pages to the files of the site."""
    files.append(File.generated(config, "index.md", content=_start(Path(config.docs_dir))))
    text = pass_doc(info.pass_class for info in default_registry().passes())
    page = text.partition("\n")[2].replace("\n### ", "\n## ").replace("\n#### ", "\n### ")
    files.append(File.generated(config, "passes.md", content=_PASSES + page))


def _start(docs: Path) -> str:
    """Return the README, whose links to files that the site does not have are left out."""
    text = (docs.parent / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    return re.sub(r"\[([^]]*)\]\((?!https?:|[a-z-]+\.md)[^)]*\)", r"\1", text)
