"""Reproducers that are opened with another IR than theirs."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from passel.errors import PasselError, PipelineError
from passel.instruments.reproducer_file import GROUP
from passel.ir.resources import read_resources
from passel.passes.resolution import names_on
from passel.tool.irs import IRChoice, passes_of_pipeline

if TYPE_CHECKING:
    from typing import Any

    from passel.ir import IRAdapter
    from passel.passes import PassRegistry

_TITLES = {"xdsl": "xDSL", "mlir": "MLIR"}


def hint_for_text(text: Any, adapter: IRAdapter, registry: PassRegistry) -> str:
    """Return what to say of a file that cannot be read, if it is another IR's reproducer."""
    if not isinstance(text, str) or GROUP not in text:
        return ""
    with suppress(Exception):  # nobody knows what the text is
        for each in read_resources(text):
            if (each.group, each.key) == (GROUP, "pipeline") and isinstance(each.value, bytes):
                return hint_for(each.value.decode(), adapter, registry)
    return ""


def hint_for(pipeline: str, adapter: IRAdapter, registry: PassRegistry) -> str:
    """Return what to say of a recorded pipeline with passes that another IR has, or nothing.

    Args:
        pipeline: The pipeline.
        adapter: The adapter of the IR that it was opened with.
        registry: The passes that may be named.
    """
    try:
        names = dict.fromkeys(passes_of_pipeline(pipeline))
    except PipelineError:
        return ""
    here = names_on(adapter, registry)
    lacking = [f"'{name}'" for name in names if name not in here]
    for ir, title in _TITLES.items():
        if not lacking or ir == adapter.name:
            continue
        with suppress(PasselError):  # it is not installed
            there = IRChoice(ir).names(registry)
            if all(name[1:-1] in there for name in lacking):
                noun = "pass" if len(lacking) == 1 else "passes"
                return (
                    f"{title} has the {noun} {', '.join(lacking)}; if this is a reproducer of "
                    f"{title}'s IR: --ir={ir}"
                )
    return ""
