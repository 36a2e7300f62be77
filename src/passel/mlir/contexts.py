"""Contexts of MLIR: the lock of each, and on how many threads it works."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

Caller: TypeAlias = "Callable[[Callable[[], Any]], Any]"
"""Calls a function, maybe in another thread, and returns its result."""


def at_once(function: Callable[[], Any]) -> Any:
    """Call a function here."""
    return function()


_locks: WeakKeyDictionary[Any, RLock] = WeakKeyDictionary()


def context_lock(context: Any) -> RLock:
    """Return the lock that is held while MLIR works on ops of a context.

    A thread that reports waits for the interpreter, so no other may have the interpreter and
    wait until it may report.
    """
    lock = _locks.get(context)
    return _locks.setdefault(context, RLock()) if lock is None else lock


@contextmanager
def on_threads(context: Any, most: int) -> Generator[None]:
    """Let a context work on so many threads at most for a while.

    MLIR makes as many as the calling thread may use processors. Where that cannot be set, it is
    given one thread.
    """
    had_threads = context.get_num_threads() > 1
    if most > 1 and not (had_threads and most < _processors()):
        yield
        return
    context.enable_multithreading(False)
    if most > 1 and hasattr(os, "sched_setaffinity"):
        ours = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(ours)[:most])
        try:
            context.enable_multithreading(True)
        finally:
            os.sched_setaffinity(0, ours)
    try:
        yield
    finally:
        if had_threads:
            context.enable_multithreading(False)
            context.enable_multithreading(True)


def has_no_threads(context: Any) -> bool:
    """Return whether MLIR works on the calling thread alone, as far as that is known."""
    return bool(context.get_num_threads() == 1 < _processors())


@cache
def _processors() -> int:
    """Return how many threads MLIR makes: with one, it cannot be told from none."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _end_threads() -> None:
    """End the threads of all contexts that are at rest: a fork would leave them behind.

    MLIR makes new ones when it has work for them.
    """
    locks: list[tuple[Any, Any]] = [*_locks.items()]
    for context, lock in locks:
        if lock._is_owned() or not lock.acquire(blocking=False):
            continue
        if context.get_num_threads() > 1:
            context.enable_multithreading(False)
            context.enable_multithreading(True)
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_end_threads)
