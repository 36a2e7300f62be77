"""Pipelines for functions, by a builder and by text."""

from passel import default_registry
from passel.builder import PipelineBuilder

_TIDY = PipelineBuilder.parse("func.func(canonicalize,cse)")

default_registry().register_pipeline("tidy-functions", _TIDY, summary="Clean up functions.")
default_registry().register_pipeline("mark-functions", lambda manager: manager.add("mark"))
