"""Over xDSL's corpus, passes give the IR that xDSL's passes of the same names give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.transforms import get_all_passes
from xdsl_inputs import enough, outcome_of, parsed_copy, sampled, xdsl_context, xdsl_corpus

from passel import PassManager
from passel.xdsl import XDSLAdapter
from passel.xdsl.passes.canonicalize import DCE, Canonicalizer
from passel.xdsl.passes.cse import CSE
from passel.xdsl.passes.loop_invariant_code_motion import Licm

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

    from passel import Pass

    TextOf = Callable[[Operation], str]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:xdsl")


@sampled(27)
def test_canonicalize(step: int, text_of: TextOf) -> None:
    """`canonicalize` leaves what xDSL's leaves."""
    assert _changed(text_of, Canonicalizer(), step=step, least=20) > enough(8)


@sampled(16)
def test_cse(step: int, text_of: TextOf) -> None:
    """`cse` leaves what xDSL's leaves, which does nothing in regions of several blocks."""
    leave_out = _has_branches
    assert _changed(text_of, CSE(), step=step, least=40, leave_out=leave_out) > enough(7)


@sampled(16)
def test_dce(step: int, text_of: TextOf) -> None:
    """`dce` leaves what xDSL's leaves."""
    assert _changed(text_of, DCE(), step=step, least=35) > enough(10)


@sampled(2)
def test_licm(step: int, text_of: TextOf) -> None:
    """`licm` leaves what xDSL's leaves."""
    assert _changed(text_of, Licm(), step=step, least=20, holding="scf.for") > enough(3)


def _has_branches(module: Operation) -> bool:
    return any(len(region.blocks) > 1 for op in module.walk() for region in op.regions)


def _changed(
    text_of: TextOf,
    own: Pass[Any],
    *,
    step: int,
    least: int,
    holding: str = "",
    leave_out: Callable[[ModuleOp], bool] = lambda _: False,
) -> int:
    """Compare a pass with xDSL's, and return how many of the modules it changed.

    Compared is every `step`th chunk that holds a text, at least `least` of them.
    """
    theirs = PassPipeline((get_all_passes()[own.name]()(),))
    compared = changed = 0
    chunks = [each for each in xdsl_corpus() if holding in each[1]]
    for file, chunk in chunks[::step]:
        context = xdsl_context()
        try:
            module, copy, before = (parsed_copy(chunk, file) for _ in range(3))
            module.verify()
        except Exception:  # noqa: BLE001, S112 - the corpus has tests of errors
            continue
        assert isinstance(copy, ModuleOp)
        if leave_out(copy):
            continue
        manager = PassManager("builtin.module", context, adapter=XDSLAdapter()).add(own)
        manager.enable_verifier(False)
        expected = outcome_of(theirs.apply, context, copy)
        assert outcome_of(manager.run, module) == expected, file
        assert text_of(module) == text_of(copy), file
        compared += 1
        changed += not module.is_structurally_equivalent(before)
    assert compared >= enough(least)
    return changed
