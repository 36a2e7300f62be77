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
"""The class of tokens in MLIR text, which has a second type argument since xDSL 0.74."""

FOLDS = RELEASE >= (0, 64)
"""Whether canonicalization folds constants, which fails on some constants before xDSL 0.64."""


def replace_op(
    rewriter: PatternRewriter,
    op: Operation,
    new: Operation | Sequence[Operation],
    values: Sequence[SSAValue | None] | None = None,
) -> None:
    """Replace an op with new ops, using `PatternRewriter.replace` if xDSL is 0.70 or newer."""
    getattr(rewriter, "replace" if hasattr(rewriter, "replace") else "replace_op")(op, new, values)


def poison(kind: Attribute) -> Operation:
    """Create an op whose result is poison, in the dialect `ub` if xDSL is 0.66 or newer."""
    if POISON_DIALECT == "builtin":
        return UnrealizedConversionCastOp.get((), (kind,))
    from xdsl.dialects.ub import PoisonOp

    return PoisonOp(result_type=kind)


POISON_DIALECT = "ub" if find_spec("xdsl.dialects.ub") else "builtin"
"""The name of the dialect in which `poison` creates an op."""
