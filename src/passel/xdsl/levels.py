"""Optimization levels for xDSL: what passel's own passes make of a program, at several costs.

They are ordinary registered pipelines, and modest: no more than clean-ups that any program can
take. A compiler registers its own in their place, with `override=True`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.passes import Options, option

if TYPE_CHECKING:
    from passel.manager import OpPassManager
    from passel.passes import PassRegistry

_MODULE = "builtin.module"
_SIMPLIFY = "canonicalize,cse"


class Inlining(Options):
    """Options of the levels that inline calls."""

    inline: bool = option(default=True, help="Inline function calls.")


def register_levels(registry: PassRegistry) -> None:
    """Add the levels `O0` to `O3`."""
    for name, build, options, summary in (
        ("O0", _nothing, None, "Leave the program as it is."),
        ("O1", _simplify, None, "Simplify: canonicalize and eliminate common subexpressions."),
        ("O2", _optimize, Inlining, "Simplify, inline calls of small functions, propagate, hoist."),
        (
            "O3",
            _optimize_at_any_size,
            Inlining,
            "As O2, and inline calls of functions of any size.",
        ),
    ):
        registry.register_pipeline(name, build, options=options, summary=summary, ir="xdsl")


def _nothing(_: OpPassManager) -> None:
    pass


def _simplify(manager: OpPassManager) -> None:
    manager.add(_SIMPLIFY)


def _optimize(manager: OpPassManager, options: Inlining) -> None:
    _add_optimizations(manager, "inline{inlining-threshold=100}" if options.inline else "")


def _optimize_at_any_size(manager: OpPassManager, options: Inlining) -> None:
    _add_optimizations(manager, "inline" if options.inline else "")


def _add_optimizations(manager: OpPassManager, inlining: str) -> None:
    if inlining:
        manager.add(inlining)
    manager.add("mem2reg,sccp", _SIMPLIFY, "loop-invariant-code-motion", _SIMPLIFY)
    if manager.anchor == _MODULE:  # it is for ops with a symbol table
        manager.add("symbol-dce")
