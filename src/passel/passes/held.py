"""Pipelines and passes that passes hold in their options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from passel.passes.base import Pass
from passel.passes.tree import PassTree

if TYPE_CHECKING:
    from collections.abc import Iterator


def held_by(pass_: Pass[Any, Any]) -> Iterator[Pass[Any, Any] | PassTree]:
    """Yield the passes and pipelines that a pass holds, but not what those hold."""
    return _in_fields(pass_)


def _in_fields(value: Any) -> Iterator[Pass[Any, Any] | PassTree]:
    from dataclasses import fields, is_dataclass

    if is_dataclass(value):
        for field in fields(value):
            yield from _in_value(getattr(value, field.name))


def _in_value(value: Any) -> Iterator[Pass[Any, Any] | PassTree]:
    if isinstance(value, (Pass, PassTree)):
        yield cast("Pass[Any, Any] | PassTree", value)
    elif isinstance(value, tuple):
        for element in cast("tuple[Any, ...]", value):
            yield from _in_value(element)
    else:
        yield from _in_fields(value)
