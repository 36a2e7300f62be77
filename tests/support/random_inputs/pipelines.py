"""Pipelines that are changed at random, as passel and mlir-opt read them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from mlir_stubs import MlirLikeAdapter, registry_of_stubs
from pipeline_table import Row, read_rows

from passel import PassManager
from passel.errors import PipelineError
from passel.pipeline import parse_pipeline, print_pipeline
from random_inputs.mutation import mutated

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLE: Final = Path(__file__).parents[2] / "oracle" / "pipelines.txt"


@cache
def _rows() -> Sequence[Row]:
    return tuple(read_rows(TABLE.read_text("utf-8")))


def mutant(seed: int) -> str:
    """Return a pipeline."""
    random = Random(seed)  # noqa: S311 - repeatable inputs
    texts = [row.text for row in _rows()]
    return mutated(random.choice(texts), random, texts)


def problem(seed: int) -> str:
    """Return what is wrong with how passel takes a pipeline, or nothing."""
    text = mutant(seed)
    adapter, registry = MlirLikeAdapter(), registry_of_stubs()
    try:
        nodes = parse_pipeline(text)
        if parse_pipeline(print_pipeline(nodes)) != nodes:
            return f"the syntax of {text!r} does not print as itself"
        manager = PassManager.parse(text, registry=registry, adapter=adapter)
        again = PassManager.parse(str(manager), registry=registry, adapter=adapter)
    except PipelineError as error:
        return "" if str(error) else f"nothing is said about {text!r}"
    except Exception as error:  # noqa: BLE001 - any other is the finding
        return f"{text!r} raises {error!r}"
    if str(again) != str(manager):  # not all options equal themselves: there is `nan`
        return f"{text!r} prints as {str(manager)!r}, which is another pipeline"
    return ""
