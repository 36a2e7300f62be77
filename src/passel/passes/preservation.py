"""Preservation of analyses by passes, as far as it is declared."""

from __future__ import annotations

from functools import cache
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from passel.analysis import AllAnalyses
from passel.passes.base import Pass
from passel.passes.held import held_by
from passel.passes.tree import PassTree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_EVERYTHING = frozenset({AllAnalyses})


class Contract(NamedTuple):
    """Declarations about the analyses that a pass touches.

    Attributes:
        preserves: Analyses that it never invalidates.
        produces: Analyses of its op that are valid when it ends.
    """

    preserves: tuple[type, ...] = ()
    produces: tuple[type, ...] = ()


class Contracts(Protocol):
    """Knows the contracts of passes."""

    def contract_of(self, pass_: Pass[Any], /) -> Contract:
        """Return the contract of a pass."""
        ...


class OwnContracts:
    """Knows what passes declare in their classes."""

    def contract_of(self, pass_: Pass[Any], /) -> Contract:
        """Return what the pass's class says."""
        return Contract(pass_.preserves, pass_.produces)


def preserves(kinds: Collection[type], kind: type) -> bool:
    """Return whether an analysis is among those that are preserved."""
    return kind in kinds or AllAnalyses in kinds


def preserved_by(
    items: Iterable[Pass[Any, Any] | PassTree], contracts: Contracts
) -> frozenset[type]:
    """Return the analyses that all of several passes and pipelines preserve.

    What a pass runs counts like the pass itself. Nothing preserves everything.
    """
    kept = None
    for own in _declared(items, contracts):
        if AllAnalyses not in own:
            kept = frozenset(own) if kept is None else kept & frozenset(own)
    return _EVERYTHING if kept is None else kept


def run_by(pass_: Pass[Any, Any]) -> tuple[Pass[Any, Any] | PassTree, ...] | None:
    """Return the pipelines that a pass may run; None if it runs some and does not say which."""
    said, held = pass_.may_run(), tuple(held_by(pass_))
    if said is not None:
        return (*held, *cast("Iterable[PassTree]", said))
    return None if not held and _runs_pipelines(type(pass_)) else held


def _declared(
    items: Iterable[Pass[Any, Any] | PassTree], contracts: Contracts
) -> Iterator[tuple[type, ...]]:
    for item in items:
        if isinstance(item, PassTree):
            yield from _declared((entry.item for entry in item.entries()), contracts)
            continue
        inner = run_by(item)
        yield () if inner is None else contracts.contract_of(item).preserves
        yield from _declared(inner or (), contracts)


@cache
def _runs_pipelines(cls: type[Pass[Any, Any]]) -> bool:
    """Return whether the code of a class calls `run_pipeline`."""
    own = cls.__mro__[: cls.__mro__.index(Pass)]
    functions = (value for base in own for value in vars(base).values())
    codes = (getattr(function, "__code__", None) for function in functions)
    return any(_mentions(code, "run_pipeline") for code in codes if code is not None)


def _mentions(code: CodeType, name: str) -> bool:
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return name in code.co_names or any(_mentions(each, name) for each in inner)
