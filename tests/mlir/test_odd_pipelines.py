"""Pipelines that MLIR itself does not survive, and text that is not text."""

from __future__ import annotations

import pytest
from mlir.ir import Context
from processes import survived

from passel import PassManager
from passel.errors import OptionError, UnknownPassError
from passel.mlir import parse_source
from passel.mlir.names import native_pass_class

SCRIPT = """
import sys
from mlir.ir import Context
from passel import PassManager
from passel.errors import PipelineError

try:
    print(PassManager.parse(sys.argv[1], Context()))
except PipelineError as error:
    print(error)
"""


def test_a_pipeline_on_an_op_that_it_is_not_for() -> None:
    """It is refused when the pipeline is built; MLIR ends the process."""
    found = survived(SCRIPT, "builtin.module(func.func(sparsifier))")
    assert found.startswith("<pass-pipeline>:1:26: error: pipeline 'sparsifier': Can't add pass ")
    assert "restricted to 'builtin.module'" in found


def test_a_pipeline_in_options() -> None:
    """Nor may the options of MLIR's passes name such a pipeline."""
    options = "default-pipeline=canonicalize op-pipelines=func.func(cse,tosa-to-linalg-pipeline)"
    found = survived(SCRIPT, f"builtin.module(inline{{{options}}})")
    assert ":80: error: pipeline 'tosa-to-linalg-pipeline': Can't add pass" in found


def test_a_pipeline_as_the_option_of_a_pass_for_every_ir() -> None:
    """What such a pipeline consists of are MLIR's passes there as well."""
    text = "builtin.module(composite-fixed-point-pass{pipeline=sparsifier})"
    manager = PassManager.parse(text, Context())
    assert "reconcile-unrealized-casts" in str(manager)


@pytest.mark.parametrize(
    "text", ["func.func(cse),func.func()", "builtin.module(func.func()),func.func(cse,any())"]
)
def test_nested_pipelines_of_nothing(text: str) -> None:
    """They do nothing, wherever they stand."""
    context = Context()
    module = parse_source(context, "func.func @f() { return }\nmodule {}", "t.mlir")
    before = str(module)
    PassManager.parse(f"builtin.module({text})", context).run(module)
    assert str(module) == before


@pytest.mark.parametrize("name", ["\udcff", "cs\0e", "c\u200bse"])
def test_names_that_cannot_be_names(name: str) -> None:
    """What cannot be printed is not a pass of MLIR's."""
    assert native_pass_class("mlir", name) is None
    with pytest.raises(UnknownPassError):
        PassManager("builtin.module", Context()).add(name)


@pytest.mark.parametrize(
    ("name", "text"),
    [("canonicalize", "disable-patterns=\udcff"), ("sparsifier", "vl=\udcff")],
)
def test_options_that_are_not_utf8(name: str, text: str) -> None:
    """They are refused as wrong options."""
    with pytest.raises(OptionError, match=f"'{name}': invalid UTF-8"):
        PassManager("builtin.module", Context()).add(f"{name}{{{text}}}")
