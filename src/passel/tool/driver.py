"""The driver: read the input, split it, and process each part.

Source: `mlir::MlirOptMain`, MLIR 22.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from passel.instruments.whole_files import lasting
from passel.ir.frontend import UnreadableError
from passel.tool.crashes import last_words_of
from passel.tool.output import Output, streams_kept
from passel.tool.part import Part
from passel.tool.sources import read_sources

if TYPE_CHECKING:
    from passel.ir.frontend import SourcePart
    from passel.tool.expectations import DiagnosticVerifier
    from passel.tool.shared import Shared


class Driver:
    """One run of the tool over one input.

    Args:
        shared: Services and settings of all parts of the input.

    Raises:
        UsageError: The output cannot be written.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._settings = shared.settings
        self._output = Output(shared.settings.output.o)

    def run(self) -> int:
        """Process the input and return the exit code."""
        try:
            with self._shared.reports, last_words_of(self._settings, self._shared.replay):
                good = self._process_all()
            if self._shared.crashes.failed:
                self._shared.replay.explain()
            if good:
                self._output.commit()
        finally:
            self._output.close()
        self._shared.reports.finish(good=good)
        return 0 if good else 1

    def _process_all(self) -> bool:
        shared = self._shared
        try:
            sources = read_sources(self._settings, shared.frontend, shared.renderer)
        except UnreadableError as error:
            for diagnostic in error.diagnostics:
                shared.renderer(diagnostic)
            return False
        start = lasting("")
        separator = self._settings.output.output_split_marker + "\n"
        good = True
        for index, source in enumerate(sources):
            if index:
                self._output.write(separator)
            good = self._process(source) and good
            with suppress(OSError):  # it is gone
                os.chdir(start)  # where the command line's paths start, wherever a pass has gone
        return good

    def _process(self, source: SourcePart) -> bool:
        """Process a part of the input; return whether it is good."""
        verifier = self._verifier(source)
        with streams_kept():
            result = Part(source, self._shared, verifier or self._shared.renderer).process()
        if result is not None:
            self._output.write(result)
        if verifier is None:
            return result is not None
        complaints = verifier.finish()
        for complaint in complaints:
            self._shared.renderer(complaint)
        return not complaints

    def _verifier(self, source: SourcePart) -> DiagnosticVerifier | None:
        mode = self._settings.diagnostics.verify_diagnostics
        if not mode:
            return None
        from passel.tool.expectations import DiagnosticVerifier

        return DiagnosticVerifier(source, only_expected=mode == "only-expected")
