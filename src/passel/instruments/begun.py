"""Executions that have begun and not ended yet, on each thread."""

from __future__ import annotations

from threading import get_ident
from typing import Generic, TypeVar

T = TypeVar("T")


class Begun(Generic[T]):
    """A stack for each thread of what has begun, each with a value.

    An interrupt may keep a hook from noting that something has begun, or has ended. So an end
    counts for what it is the end of, and for all that has begun inside.

    Example:
        >>> begun = Begun[str]()
        >>> begun.push("a", "one"), begun.push("b", "two")
        (None, None)
        >>> begun.pop("a"), begun.pop("b")
        ('one', None)
    """

    def __init__(self) -> None:
        self._stacks: dict[int, list[tuple[object, T]]] = {}

    def push(self, what: object, value: T) -> None:
        """Note that something has begun."""
        self._stacks.setdefault(get_ident(), []).append((what, value))

    def set(self, what: object, value: T) -> None:
        """Give what has begun last another value, if it is `what`."""
        stack = self._stacks.get(get_ident())
        if stack and stack[-1][0] is what:
            stack[-1] = what, value

    def pop(self, what: object) -> T | None:
        """Note that it has ended and return its value; None if it had not begun."""
        stack = self._stacks.get(get_ident(), [])
        if not any(each is what for each, _ in stack):
            return None
        while True:
            each, value = stack.pop()
            if each is what:
                return value

    @property
    def values(self) -> list[T]:
        """The values of all that has begun on this thread, innermost last."""
        return [value for _, value in self._stacks.get(get_ident(), [])]

    def clear(self) -> None:
        """Forget everything."""
        self._stacks.clear()
