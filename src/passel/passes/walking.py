"""Walking through passes: those of a manager, nested ones, and those that passes hold or run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from passel.passes.base import Pass
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.resolution import bound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.diagnostics import Span
    from passel.ir import IRAdapter


class Visit(NamedTuple):
    """A pass that a walk has come to.

    Attributes:
        pass_: The pass.
        span: Its place in a text, or that of the pass or pipeline that it is in.
        is_elsewhere: Whether it runs on another IR than what the walk began with.
    """

    pass_: Pass[Any, Any]
    span: Span | None
    is_elsewhere: bool


def walk(
    item: Pass[Any, Any] | OpPassManager,
    adapter: IRAdapter | None = None,
    span: Span | None = None,
    *,
    is_elsewhere: bool = False,
) -> Iterator[Visit]:
    """Yield passes in the order of the text, each before those that it may run.

    Args:
        item: A pass, or a manager.
        adapter: The IR that it is for, on which names may stand for other passes.
        span: Its place.
        is_elsewhere: Whether it runs on another IR.
    """
    if isinstance(item, OpPassManager):
        for entry in item.entries():
            inner = entry.item if adapter is None else bound(entry, adapter)
            yield from walk(inner, adapter, entry.span or span, is_elsewhere=is_elsewhere)
        return
    yield Visit(item, span, is_elsewhere)
    if item.takes_elements:
        adapter, is_elsewhere = None, True
    for inner in run_by(item):
        yield from walk(inner, adapter, span, is_elsewhere=is_elsewhere)


def run_by(pass_: Pass[Any, Any]) -> tuple[Pass[Any, Any] | OpPassManager, ...]:
    """Return the passes and pipelines that a pass may run, but not what those may run.

    They are what its options hold, and what it says (`Pass.may_run`).
    """
    held = (each for value in _values(pass_) for each in _held(value))
    return (*held, *cast("Iterable[OpPassManager]", pass_.may_run()))


def _held(value: Any) -> Iterator[Pass[Any, Any] | OpPassManager]:
    if isinstance(value, (Pass, OpPassManager)):
        yield cast("Pass[Any, Any] | OpPassManager", value)
    else:
        inner = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else _values(value)
        for each in inner:
            yield from _held(each)


def _values(value: Any) -> Iterable[Any]:
    """Return the values of a dataclass's fields."""
    from dataclasses import fields, is_dataclass

    return [getattr(value, field.name) for field in fields(value)] if is_dataclass(value) else ()
