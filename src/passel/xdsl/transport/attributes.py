"""Attributes as bytes, those that are not registered included."""

from __future__ import annotations

import io
import pickle
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import UnregisteredAttr

from passel.errors import EncodingError

if TYPE_CHECKING:
    from collections.abc import Generator

    from xdsl.context import Context
    from xdsl.ir import Attribute


def pickled(value: object, what: str) -> bytes:
    """Return what attributes are part of as bytes.

    Args:
        value: It.
        what: What it is, for the error.

    Raises:
        EncodingError: Something in it cannot be pickled.
    """
    buffer = io.BytesIO()
    try:
        _AttributePickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    except Exception as error:
        raise EncodingError(f"{what} holds what cannot be sent: {error}") from error
    return buffer.getvalue()


def unpickled(data: bytes, context: Context) -> Any:
    """Return what `pickled` was given; a context makes the attributes that are not registered."""
    with _reading_in(context):
        return pickle.loads(data)  # noqa: S301 - a process of one's own wrote it


_context: ContextVar[Any] = ContextVar("context")


@contextmanager
def _reading_in(context: Context) -> Generator[None]:
    """Let attributes that are not registered be read in a `with` statement, in a context."""
    token = _context.set(context)
    try:
        yield
    finally:
        _context.reset(token)


class _AttributePickler(pickle.Pickler):
    """Pickles attributes; those that are not registered have classes that no module has."""

    def reducer_override(self, obj: Any, /) -> Any:
        """Pickle an attribute that is not registered as what makes one; others as ever."""
        if isinstance(obj, UnregisteredAttr):
            parts = (obj.attr_name.data, obj.is_type.data, obj.is_opaque.data, obj.value.data)
            return _unregistered_attribute, parts
        return NotImplemented


def _unregistered_attribute(name: str, is_type: int, is_opaque: int, value: str) -> Attribute:
    context: Context = _context.get()
    find = context.get_optional_type if is_type else context.get_optional_attr
    made: Any = find(name) or UnregisteredAttr.with_name_and_type(name, bool(is_type))
    return made(name, bool(is_type), bool(is_opaque), value)
