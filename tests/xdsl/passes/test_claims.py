"""What passel's own passes claim to preserve they do, over xDSL's corpus and real files."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from claims import untrue_claim
from xdsl_inputs import REAL_FILES, enough, sampled, xdsl_context, xdsl_corpus

from passel import default_registry
from passel.xdsl import parse_source

if TYPE_CHECKING:
    from xdsl.ir import Operation

OWN = (
    *("canonicalize", "cse", "dce", "inline", "licm", "loop-invariant-code-motion"),
    *("mem2reg", "mem2reg{region-simplify=false}", "sccp"),
    *("strip-debuginfo", "symbol-dce"),
    "composite-fixed-point-pass{pipeline={canonicalize,cse,sccp}}",
)


@cache
def inputs(step: int) -> list[Operation]:
    """Return the modules of each `step`th chunk of xDSL's corpus, and of more of our files."""
    files = sorted(REAL_FILES.glob("*.mlir"))
    texts = [(file.name, file.read_text(encoding="utf-8")) for file in files]
    modules: list[Operation] = []
    for name, text in [*texts[:: min(step, 6)], *xdsl_corpus()[::step]]:
        try:
            module = parse_source(xdsl_context(), text, name)
            module.verify()
        except Exception:  # noqa: BLE001, S112 - the corpus has tests of errors
            continue
        modules.append(module)
    return modules


def test_all_own_passes_are_here() -> None:
    """Every pass that passel registers for xDSL's ops is looked at below."""
    names = {text.partition("{")[0] for text in OWN}
    entries = [entry for entry in default_registry().passes() if entry.origin == "passel"]
    own = {entry.name for entry in entries if entry.ir == "xdsl"} - {"mlir"}  # MLIR's passes
    assert names == {*own, "composite-fixed-point-pass"}


@sampled(200)
@pytest.mark.parametrize("text", OWN)
def test_what_passes_claim_is_true(
    step: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is preserved is as it would be computed, and what is unchanged has not changed."""
    modules = inputs(step)
    assert len(modules) > enough(8)
    for module in modules:
        assert untrue_claim(module.clone(), xdsl_context(), text) == ""
