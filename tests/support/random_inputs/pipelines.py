"""Pipelines that are changed at random, as passel and mlir-opt read them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from mlir_stubs import MlirLikeAdapter, registry_of_stubs
from pipeline_table import Row, read_rows
from tool_fixtures import run_mlir_opt

from passel import PassManager
from passel.errors import PipelineError
from passel.pipeline import parse_pipeline, print_pipeline
from random_inputs.mutation import mutated

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLE: Final = Path(__file__).parents[2] / "oracle" / "pipelines.txt"
SOURCE: Final = "module { func.func private @f() gpu.module @g {} llvm.func @h() }"
"""What mlir-opt runs pipelines on, so that their dialects are there."""


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


KNOWN: Final = (
    *("option without a name", "expected the name of a pass", "one name", "not isolated"),
    "expected an anchor",
    *("no registered operation", "unable to schedule pass"),
)
"""What passel says where it knowingly refuses more than mlir-opt; `pipelines.txt` says why."""


def disagreement(seed: int) -> str:
    """Return how passel and mlir-opt differ about a pipeline, or nothing."""
    text = mutant(seed)
    if (
        not text.isascii()
        or not text.isprintable()
        or any(odd in text for odd in (*" \"'\\", "()"))
    ):
        return ""  # white space, quotes and empty pipelines mean other things, knowingly
    flags = f"--pass-pipeline={text}", "--dump-pass-pipeline"
    err = run_mlir_opt(*flags, source=SOURCE).err
    accepted = "Pass Manager with" in err and "unable to schedule pass" not in err
    try:
        adapter, registry = MlirLikeAdapter(), registry_of_stubs()
        PassManager.parse(text, registry=registry, adapter=adapter).check()
    except PipelineError as error:
        if not accepted or any(known in str(error) for known in KNOWN):
            return ""
        return f"passel alone refuses {text!r}: {error}"
    return "" if accepted else f"mlir-opt alone refuses {text!r}: {err[:500]}"
