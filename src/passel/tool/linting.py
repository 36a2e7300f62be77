"""`--lint`: findings about the pipeline, in place of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.diagnostics import Severity
from passel.tool.pipelines import given_builder
from passel.tool.rendering import complain

if TYPE_CHECKING:
    from passel.tool.settings import Settings


def lint_pipeline(settings: Settings) -> int:
    """Write the findings to the error stream; return 1 if any is an error, else 0.

    Raises:
        PipelineError: There is no such pass or option, or the text is no pipeline.
        UsageError: There is no pipeline.
    """
    from passel.builder import lint

    builder = given_builder(settings, "--lint")
    frontend = settings.frontend()
    findings = lint(builder, settings.ir.adapter, frontend.new_context())
    for finding in findings:
        program = "" if finding.span else settings.program
        complain(finding, program=program, color=settings.diagnostics.color)
    return int(any(finding.severity is Severity.ERROR for finding in findings))
