"""The driver: read the input, split it, and process each part.

Source: `mlir::MlirOptMain`, MLIR 22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.diagnostics import Severity
from passel.ir.frontend import UnreadableError
from passel.tool.crashes import CrashReports
from passel.tool.output import Output
from passel.tool.part import Part, Shared
from passel.tool.pipelines import PipelineFactory
from passel.tool.rendering import Renderer
from passel.tool.replay import Replay
from passel.tool.reports import Reports
from passel.tool.sources import read_sources

if TYPE_CHECKING:
    from passel.hooks import PassInstrumentation
    from passel.ir.frontend import Frontend, SourcePart
    from passel.passes import PassRegistry
    from passel.tool.cluster import Cluster
    from passel.tool.expectations import DiagnosticVerifier
    from passel.tool.irs import IRChoice
    from passel.tool.settings import Settings

_WORTH_SHARDING = 100_000
"""Characters from which on two processes gain more than forking them costs."""


class Driver:
    """One run of the tool over one input.

    Args:
        shared: What the parts of the input share.

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
            with self._shared.reports:
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
        separator = self._settings.output.output_split_marker + "\n"
        good = True
        for index, source in enumerate(sources):
            if index:
                self._output.write(separator)
            good = self._process(source) and good
        return good

    def _process(self, source: SourcePart) -> bool:
        """Process a part of the input; return whether it is good."""
        verifier = self._verifier(source)
        result = self._process_in_shards(source)
        if result is None:
            result = Part(source, self._shared, verifier or self._shared.renderer).process()
        if result is not None:
            self._output.write(result)
        if verifier is None:
            return result is not None
        complaints = verifier.finish()
        for complaint in complaints:
            self._shared.renderer(complaint)
        return not complaints

    def _process_in_shards(self, source: SourcePart) -> str | bytes | None:
        """Return the result of a large source; None if it is to be processed the plain way."""
        if len(source.text) < _WORTH_SHARDING:
            return None
        from passel.tool.sharding import process_in_shards

        return process_in_shards(source, self._shared)

    def _verifier(self, source: SourcePart) -> DiagnosticVerifier | None:
        mode = self._settings.diagnostics.verify_diagnostics
        if not mode:
            return None
        from passel.tool.expectations import DiagnosticVerifier

        return DiagnosticVerifier(source, only_expected=mode == "only-expected")


def shared_by(
    settings: Settings,
    ir: IRChoice,
    registry: PassRegistry,
    progress: PassInstrumentation | None = None,
    cluster: Cluster | None = None,
) -> Shared:
    """Return what the parts of an input share.

    Args:
        settings: What the command line says.
        ir: The IR.
        registry: The passes that the command line may name.
        progress: The line of progress, which observes all runs.
        cluster: The cluster whose workers do the work, if that is not for this machine.

    Raises:
        UsageError: A flag's value is wrong, or a report cannot be written.
        PipelineError: The pipeline is wrong.
    """
    frontend: Frontend = ir.configured(settings)
    renderer = Renderer(
        show_op=settings.diagnostics.mlir_print_op_on_diagnostic,
        hidden=_hidden(settings),
        byte_columns=frontend.byte_columns,
        color=settings.diagnostics.color,
    )
    return Shared(
        settings,
        ir.adapter,
        frontend,
        renderer,
        PipelineFactory(settings, registry),
        Reports(settings, registry),
        Replay(settings),
        CrashReports(settings, renderer),
        progress,
        settings.jobs if settings.threading else 1,
        cluster,
    )


def _hidden(settings: Settings) -> set[Severity]:
    """Return the severities that are shown only as notes of others."""
    hidden: set[Severity] = set()
    if not settings.diagnostics.shows_remarks:
        hidden.add(Severity.REMARK)
    if settings.diagnostics.mlir_diagnostic_verbosity_level == "errors":
        hidden.add(Severity.WARNING)
    if settings.diagnostics.mlir_disable_diagnostic_notes:
        hidden.add(Severity.NOTE)
    return hidden
