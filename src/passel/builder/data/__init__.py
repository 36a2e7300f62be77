"""Pipelines as data: YAML to a builder's items, and back."""

from passel.builder.data.options import placed
from passel.builder.data.pipeline_file import (
    PipelineFile,
    is_data,
    open_pipeline_file,
    pass_names,
    read_text,
)
from passel.builder.data.reader import Reader
from passel.builder.data.writer import to_yaml

__all__ = [
    "PipelineFile",
    "Reader",
    "is_data",
    "open_pipeline_file",
    "pass_names",
    "placed",
    "read_text",
    "to_yaml",
]
