"""Adds the page about passes, which passel makes, to the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs.structure.files import File

from passel.passes import default_registry
from passel.specification import pass_doc

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

_HEAD = """\
# Passes

The passes that `pip install .` makes known by name: passel's own, and xDSL's.
`passel-tblgen -gen-pass-doc` writes such a page
[about passes of yours](tablegen.md#documentation).
"""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the page to the files of the site."""
    text = pass_doc(info.pass_class for info in default_registry().passes())
    page = _HEAD + text.partition("\n")[2].replace("\n### ", "\n## ").replace("\n#### ", "\n### ")
    files.append(File.generated(config, "passes.md", content=page))
