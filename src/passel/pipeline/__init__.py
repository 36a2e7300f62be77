"""The textual form of pipelines: parsing text to syntax nodes, and printing syntax nodes."""

from passel.pipeline.lexer import located
from passel.pipeline.parser import parse_elements, parse_options, parse_pipeline
from passel.pipeline.syntax import (
    ElementNode,
    OptionNode,
    OptionText,
    PassNode,
    PipelineNode,
    spelled,
)

__all__ = [
    "ElementNode",
    "OptionNode",
    "OptionText",
    "PassNode",
    "PipelineNode",
    "located",
    "parse_elements",
    "parse_options",
    "parse_pipeline",
    "spelled",
]
