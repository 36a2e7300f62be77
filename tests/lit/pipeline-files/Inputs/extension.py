"""A plugin with an extension: a cleanup before the first conversion."""

from passel.builder import CONVERSION, PipelineBuilder, register_extension


@register_extension
def tidy_before_conversion(builder: PipelineBuilder) -> None:
    """Put it there."""
    builder.insert_before(CONVERSION, "canonicalize")
