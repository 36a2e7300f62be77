"""Passes that make ops of dialects that are not loaded are found, if claims are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.passes import ModulePass

from passel import Pass, PassContext, PassFailedError, PassManager
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp


def add_constant(module: ModuleOp) -> None:
    """Add an op of the dialect `arith`."""
    module.body.block.add_op(ConstantOp.from_int_and_width(1, 32))


class Silent(Pass[Any]):
    """Declares nothing."""

    name = "silent"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Add the op."""
        add_constant(op)


class Open(Silent):
    """Declares the dialect."""

    name = "open"
    dependent_dialects = ("arith",)


class Theirs(ModulePass):
    """A pass of xDSL's, which has no way to declare dialects."""

    name = "theirs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Add the op."""
        add_constant(op)


def run(*passes: Any, source: str = "module {}", check: bool = True) -> None:
    """Run passes on a module."""
    context = XDSLAdapter().create_context()
    manager = PassManager("builtin.module", context, adapter=XDSLAdapter()).add(*passes)
    manager.enable_analysis_verifier(check)
    manager.run(parse_source(context, source, "in.mlir"), on_diagnostic=lambda _: None)


def test_a_dialect_that_nobody_has_loaded_is_an_error() -> None:
    """It names the op, the dialect, the pass and the way out."""
    message = (
        "'arith.constant' op pass 'silent' failed: it creates ops of dialect 'arith', which neither "
        "the input nor any pass has loaded; declare dependent_dialects = ('arith',)"
    )
    with pytest.raises(PassFailedError) as caught:
        run(Silent())
    assert caught.value.failures[0].diagnostic.message == message


@pytest.mark.parametrize(
    "passes",
    [(Open(),), (Open(), Silent()), (Silent(), Open()), (Theirs(),), (Theirs(), Silent())],
    ids=["declared", "declared before", "declared behind", "xDSL's own", "known since"],
)
def test_a_dialect_that_is_loaded_or_known_is_none(passes: tuple[Any, ...]) -> None:
    """Dialects of all passes are loaded before the first one runs, as in MLIR."""
    run(*passes)


def test_a_dialect_of_the_input_is_known_and_nothing_is_checked_unasked() -> None:
    """Parsing has loaded it; the check takes a look at every op."""
    run(Silent(), source='module { "arith.constant"() <{value = 1 : i32}> : () -> i32 }')
    run(Silent(), check=False)
