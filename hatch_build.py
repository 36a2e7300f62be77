"""Build hook: a wheel brings manual pages of the programs, made from the flags of its sources."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualPages(BuildHookInterface[Any]):
    """Adds `share/man/man1/passel-opt.1`, and those of the smaller programs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the pages to where the builder takes them from."""
        sys.path.insert(0, str(Path(self.root, "src")))
        from passel.tool import bisect, cache, compare, reduce, report, tblgen
        from passel.tool.definition import ToolDefinition
        from passel.tool.information import opt_program
        from passel.tool.irs import IRChoice
        from passel.tool.manual import manual_page

        self._folder = tempfile.TemporaryDirectory()
        smaller = (each.PROGRAM for each in (bisect, cache, compare, reduce, report, tblgen))
        for program in (opt_program(ToolDefinition(), IRChoice("xdsl")), *smaller):
            page = Path(self._folder.name, f"{program.name}.1")
            page.write_text(manual_page(program))
            build_data["shared_data"][str(page)] = f"share/man/man1/{page.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove them."""
        self._folder.cleanup()
