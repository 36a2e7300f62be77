"""Passes of builds that cannot list them, from a table."""

from __future__ import annotations

import pytest

from passel.diagnostics import suggest
from passel.mlir.names import MLIRSource
from passel.mlir.upstream import is_known_pass, names_in, upstream_passes


@pytest.mark.parametrize(
    ("root", "own", "pipeline"),
    [
        ("iree.compiler", "iree-flow-canonicalize", "iree-hal-transformation-pipeline"),
        ("jaxlib.mlir", "chlo-legalize-to-stablehlo", "sdy-propagation-pipeline"),
    ],
)
def test_builds_of_others_have_names_of_their_own(root: str, own: str, pipeline: str) -> None:
    """They are suggested without loading the build, with MLIR's own, and pipelines are told apart."""
    names = list(MLIRSource(root).names())
    assert {own, pipeline, "cse"} <= set(names)
    assert own in suggest(own.replace("-", "_"), names)
    assert is_known_pass(root, own)
    assert not is_known_pass(root, pipeline)


def test_other_builds_are_taken_for_a_release() -> None:
    """Of a build that is in no table MLIR's own passes are known."""
    assert names_in("my.mlir") == upstream_passes()
    assert is_known_pass("my.mlir", "cse")
    assert not is_known_pass("my.mlir", "iree-flow-canonicalize")
