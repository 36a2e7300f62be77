"""Services and settings that the parts of an input share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from passel.diagnostics import Severity
from passel.tool.crashes import CrashReports
from passel.tool.pipelines import PipelineFactory
from passel.tool.rendering import Renderer
from passel.tool.replay import Replay
from passel.tool.reports import Reports

if TYPE_CHECKING:
    from passel.hooks import PassInstrumentation
    from passel.ir.frontend import Frontend
    from passel.tool.settings import Settings


@dataclass(frozen=True, slots=True)
class Shared:
    """Services and settings that all parts of an input share.

    Attributes:
        settings: The settings of the command line.
        frontend: The frontend, which reads and prints the IR.
        renderer: Writes diagnostics.
        pipelines: Makes a pass manager for each part.
        reports: The reports on the runs.
        replay: The reproducers.
        crashes: The reports of passes that crashed.
        progress: The line of progress, on a terminal.
    """

    settings: Settings
    frontend: Frontend
    renderer: Renderer
    pipelines: PipelineFactory
    reports: Reports
    replay: Replay
    crashes: CrashReports
    progress: PassInstrumentation | None


def shared_by(settings: Settings, progress: PassInstrumentation | None = None) -> Shared:
    """Return services and settings for the parts of an input.

    Args:
        settings: The settings of the command line.
        progress: The line of progress, which observes all runs.

    Raises:
        UsageError: A flag's value is wrong, or a report cannot be written.
        PipelineError: The pipeline is wrong.
    """
    frontend: Frontend = settings.frontend()
    renderer = Renderer(
        show_op=settings.diagnostics.mlir_print_op_on_diagnostic,
        hidden=_hidden(settings),
        byte_columns=frontend.byte_columns,
        color=settings.diagnostics.color,
    )
    return Shared(
        settings,
        frontend,
        renderer,
        PipelineFactory(settings),
        Reports(settings),
        Replay(settings),
        CrashReports(settings, renderer),
        progress,
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
