"""An extension for tensors: named linalg ops in their general form, before there are buffers."""

from passel.builder import BUFFERIZATION, PipelineBuilder


def extend(builder: PipelineBuilder) -> None:
    """Put the pass right before the first bufferization, whatever that is."""
    builder.insert_before(BUFFERIZATION, "linalg-generalize-named-ops")
