"""A plugin with an extension: a cleanup before the first lowering."""

from passel.builder import LOWERING, PipelineBuilder, register_extension


@register_extension
def tidy_before_lowering(builder: PipelineBuilder) -> None:
    """Put it there."""
    builder.insert_before(LOWERING, "canonicalize")
