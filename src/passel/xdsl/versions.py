"""Differences between the releases of xDSL that passel works on."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from inspect import signature
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.utils.lexer import Token

from passel.xdsl.release import RELEASE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO

    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation, SSAValue
    from xdsl.pattern_rewriter import PatternRewriter
    from xdsl.universe import Universe
    from xdsl.utils.arg_spec import ArgSpec
    from xdsl.utils.mlir_lexer import MLIRTokenKind

    MLIRToken = Token[MLIRTokenKind, str]
else:
    MLIRToken = Token
"""A token of MLIR text; it has a second type argument since 0.74."""

FOLDS = RELEASE >= (0, 64)
"""Whether xDSL's canonicalization folds constants; before, folding fails for some."""


def replace_op(
    rewriter: PatternRewriter,
    op: Operation,
    new: Operation | Sequence[Operation],
    values: Sequence[SSAValue | None] | None = None,
) -> None:
    """Replace an op by new ones; `PatternRewriter.replace` came with 0.70."""
    getattr(rewriter, "replace" if hasattr(rewriter, "replace") else "replace_op")(op, new, values)


def erase_op(rewriter: PatternRewriter, op: Operation) -> None:
    """Erase an op; `PatternRewriter.erase` came with 0.70."""
    getattr(rewriter, "erase" if hasattr(rewriter, "erase") else "erase_op")(op)


def poison(kind: Attribute) -> Operation:
    """Return a new op whose result may be any value; the dialect `ub` came with 0.66."""
    if POISON_DIALECT == "builtin":
        return UnrealizedConversionCastOp.get((), (kind,))
    from xdsl.dialects.ub import PoisonOp

    return PoisonOp(result_type=kind)


POISON_DIALECT = "ub" if find_spec("xdsl.dialects.ub") else "builtin"
"""The dialect of `poison`."""


def targets_of(universe: Universe) -> Mapping[str, Any]:
    """Return the factories of targets by name.

    Before 0.60, those of xDSL itself are functions in its tool.
    """
    if "mlir" in universe.all_targets:
        return universe.all_targets
    return {**_targets_of_the_tool(), **universe.all_targets}


@cache
def _targets_of_the_tool() -> Mapping[str, Any]:
    from xdsl import xdsl_opt_main
    from xdsl.universe import Universe

    tool: Any = object.__new__(xdsl_opt_main.xDSLOptMain)
    found: dict[str, Callable[..., Any]] = {}
    tool.available_targets = found
    module: Any = xdsl_opt_main
    try:
        # Those of packages are known; asked for all, xDSL fails where one package is broken.
        module.Universe = SimpleNamespace(get_multiverse=Universe)
        tool.register_all_targets()
    finally:
        module.Universe = Universe
    return {name: _factory(target) for name, target in found.items()}


def _factory(target: Callable[..., Any]) -> Callable[[], Any]:
    return (lambda: _FunctionTarget(target)) if signature(target).parameters else target


class _FunctionTarget:
    """A target of xDSL's tool, which is a function of a module and a stream."""

    def __init__(self, function: Callable[[ModuleOp, IO[str]], None]) -> None:
        self._function = function

    def from_spec(self, spec: ArgSpec) -> _FunctionTarget:
        """Return the target itself.

        Raises:
            ValueError: It has no options.
        """
        if spec.parameters:
            raise ValueError(f"it has no option '{next(iter(spec.parameters))}'")
        return self

    def emit(self, context: Context, module: ModuleOp, stream: IO[str]) -> None:
        """Print a module."""
        self._function(module, stream)
