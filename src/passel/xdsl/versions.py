"""Differences between the supported releases of xDSL."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.utils.lexer import Token

from passel.xdsl.release import RELEASE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, Operation, SSAValue
    from xdsl.pattern_rewriter import PatternRewriter
    from xdsl.utils.mlir_lexer import MLIRTokenKind

    MLIRToken = Token[MLIRTokenKind, str]
else:
    MLIRToken = Token
"""A token of MLIR text, with a second type argument since 0.74."""

FOLDS = RELEASE >= (0, 64)
"""Whether xDSL's canonicalization folds constants; older releases fail on some."""


def replace_op(
    rewriter: PatternRewriter,
    op: Operation,
    new: Operation | Sequence[Operation],
    values: Sequence[SSAValue | None] | None = None,
) -> None:
    """Replace an op by new ones; `PatternRewriter.replace` exists since 0.70."""
    getattr(rewriter, "replace" if hasattr(rewriter, "replace") else "replace_op")(op, new, values)


def poison(kind: Attribute) -> Operation:
    """Return a new op whose result may be any value; the dialect `ub` exists since 0.66."""
    if POISON_DIALECT == "builtin":
        return UnrealizedConversionCastOp.get((), (kind,))
    from xdsl.dialects.ub import PoisonOp

    return PoisonOp(result_type=kind)


POISON_DIALECT = "ub" if find_spec("xdsl.dialects.ub") else "builtin"
"""The dialect of `poison`."""
