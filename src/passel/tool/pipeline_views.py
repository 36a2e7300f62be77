"""`--draw-pipeline`, `--print-pipeline` and `--lint`: a pipeline is shown or checked, not run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from passel.diagnostics import Severity
from passel.instruments.terminals import shows_color, styled
from passel.tool.output import put
from passel.tool.pipelines import PipelineFactory, given_builder
from passel.tool.rendering import complain

if TYPE_CHECKING:
    from passel.builder import PipelineBuilder
    from passel.tool.settings import Settings

_STYLES = {
    "frame": "dim",
    "pass": "bold",
    "options": "",
    "nest": "bold cyan",
    "stage": "bold yellow",
    "bundle": "bold blue",
    "note": "dim",
    "type": "magenta",
}


def show_pipeline(settings: Settings, view: str) -> int:
    """Write the pipeline to the output, or findings to the error stream; return the exit code.

    Args:
        settings: The settings of the command line.
        view: The flag that asks for it, as an attribute of the settings.

    Raises:
        PipelineError: The pipeline is wrong.
        UsageError: There is no pipeline, or the output cannot be written.
    """
    if view == "lint":
        return _lint(settings)
    if view == "print_pipeline":
        return put(f"{PipelineFactory(settings).text()}\n", settings.output.o)
    builder = given_builder(settings, "--draw-pipeline")
    color = settings.diagnostics.color
    if settings.output.o == "-" and shows_color(sys.stdout, color):
        return put(_coloured_tree(builder))
    return put(builder.draw(), settings.output.o)


def _lint(settings: Settings) -> int:
    """Write the findings; return 1 if any is an error, else 0."""
    from passel.builder import lint

    builder = given_builder(settings, "--lint")
    context = settings.frontend().new_context()
    findings = lint(builder, settings.ir.adapter, context)
    for finding in findings:
        program = "" if finding.span else settings.program
        complain(finding, program=program, color=settings.diagnostics.color)
    return int(any(finding.severity is Severity.ERROR for finding in findings))


def _coloured_tree(builder: PipelineBuilder) -> str:
    from passel.builder.drawing import tree_lines

    lines = tree_lines(builder.picture())
    return "".join(
        "".join(styled(piece.text, _STYLES[piece.role]) for piece in line) + "\n" for line in lines
    )
