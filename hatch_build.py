"""Build hook: a wheel brings passel-opt's manual page, made from the flags of its sources."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualPage(BuildHookInterface[Any]):
    """Adds `share/man/man1/passel-opt.1`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the page to where the builder takes it from."""
        sys.path.insert(0, str(Path(self.root, "src")))
        from passel.tool.definition import ToolDefinition
        from passel.tool.help import HelpPage
        from passel.tool.irs import IRChoice
        from passel.tool.manual import manual_page

        self._folder = tempfile.TemporaryDirectory()
        page = Path(self._folder.name, "passel-opt.1")
        page.write_text(manual_page(HelpPage.of(ToolDefinition(), IRChoice("xdsl"))))
        build_data["shared_data"][str(page)] = "share/man/man1/passel-opt.1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove it."""
        self._folder.cleanup()
