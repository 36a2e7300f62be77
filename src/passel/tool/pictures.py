"""`--draw-pipeline`: a picture of the pipeline in place of a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from passel.tool.output import Output
from passel.tool.pipelines import given_builder

if TYPE_CHECKING:
    from passel.builder import PipelineBuilder
    from passel.passes import PassRegistry
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


def draw_pipeline(settings: Settings, registry: PassRegistry) -> int:
    """Write the picture to the output, and return the exit code.

    Raises:
        PipelineError: The pipeline is wrong.
        UsageError: There is no pipeline, or the output cannot be written.
    """
    form: Any = settings.pipeline.draw_pipeline
    output = Output(settings.output.o)
    builder = given_builder(settings, registry, "--draw-pipeline")
    if form == "tree" and settings.output.o == "-" and sys.stdout.isatty():
        _print_styled(builder)
        return 0
    output.write(builder.draw(form))
    output.commit()
    return 0


def _print_styled(builder: PipelineBuilder) -> None:
    from rich.console import Console
    from rich.text import Text

    from passel.builder.drawing import tree_lines

    console = Console(soft_wrap=True, highlight=False)
    for line in tree_lines(builder.picture()):
        console.print(Text.assemble(*((piece.text, _STYLES[piece.role]) for piece in line)))
