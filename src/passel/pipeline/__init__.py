"""The textual form of pipelines: parsing text to syntax nodes, and printing syntax nodes."""

from passel.pipeline.lexer import NAMES, check_name, is_name, located, split_list
from passel.pipeline.parser import MAX_ELEMENTS, parse_elements, parse_options, parse_pipeline
from passel.pipeline.syntax import (
    ElementNode,
    OptionNode,
    OptionText,
    PassNode,
    PipelineNode,
    spelled,
)

__all__ = [
    "MAX_ELEMENTS",
    "NAMES",
    "ElementNode",
    "OptionNode",
    "OptionText",
    "PassNode",
    "PipelineNode",
    "check_name",
    "is_name",
    "located",
    "parse_elements",
    "parse_options",
    "parse_pipeline",
    "spelled",
    "split_list",
]
