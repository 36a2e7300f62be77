"""`--draw-pipeline` and `--print-pipeline`: the pipeline as a picture or text, not run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from passel.instruments.terminals import shows_color, styled
from passel.tool.output import put
from passel.tool.pipelines import PipelineFactory, given_builder

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


def draw_pipeline(settings: Settings) -> int:
    """Write the picture to the output, and return the exit code.

    Raises:
        PipelineError: The pipeline is wrong.
        UsageError: There is no pipeline, or the output cannot be written.
    """
    form: Any = settings.pipeline.draw_pipeline
    builder = given_builder(settings, "--draw-pipeline")
    color = settings.diagnostics.color
    if form == "tree" and settings.output.o == "-" and shows_color(sys.stdout, color):
        return put(_coloured_tree(builder))
    return put(builder.draw(form), settings.output.o)


def print_pipeline(settings: Settings) -> int:
    """Write what would run to the output, as text for files to compare with.

    Raises:
        PipelineError: The pipeline is wrong.
        UsageError: There is no pipeline, or the output cannot be written.
    """
    return put(f"{PipelineFactory(settings).text()}\n", settings.output.o)


def _coloured_tree(builder: PipelineBuilder) -> str:
    from passel.builder.drawing import tree_lines

    lines = tree_lines(builder.picture())
    return "".join(
        "".join(styled(piece.text, _STYLES[piece.role]) for piece in line) + "\n" for line in lines
    )
